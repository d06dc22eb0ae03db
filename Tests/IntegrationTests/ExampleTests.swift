// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Synchronization
import TestSupport
import Testing

extension Programs {
    /// `examples/ask-an-api`, as somebody would run it who has just read it.
    @Suite struct Examples {
        private static func run(
            _ command: String,
            _ stand: Stand,
            url: String? = nil
        ) async throws -> ChildProcess.Finished {
            var environment = stand.world.environment
            environment["PATH"] = BuildProducts.searchPath + ":" + (environment["PATH"] ?? "")
            environment["EXAMPLES"] = BuildProducts.source + "/examples/ask-an-api"
            environment["BUILD"] = stand.session.folder
            environment["URL"] = url ?? stand.provider.origin + "/userinfo"
            return try await ChildProcess.run("bash", ["-euc", command], environment: environment)
        }

        private static let commands = [
            "\"$EXAMPLES\"/ask.sh work \"$URL\"", "/usr/bin/python3 \"$EXAMPLES\"/ask.py work \"$URL\"",
            "cc -Wall -Wextra -Werror -o \"$BUILD\"/ask \"$EXAMPLES\"/ask.c && \"$BUILD\"/ask work | curl -s -H @- \"$URL\"",
        ]

        @Test(arguments: commands) func `an example asks an API with a token`(_ command: String) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let finished = try await Self.run(command, stand)
                #expect(finished.output.contains("\"email\":\"alice@example.org\""), "\(finished)")
            }
        }

        @Test(arguments: commands) func `where nobody is signed in it says so and ends with a fault`(
            _ command: String
        ) async throws {
            try await Stand.with(excusing: [.bearerMissing]) { stand in
                let finished = try await Self.run("set -o pipefail; " + command, stand)
                #expect(finished.errors.contains("signed in"), "\(finished)")
                #expect(!finished.output.contains("email"))
            }
        }

        @Test(arguments: commands.prefix(2)) func `a token that the API refuses is replaced by another`(
            _ command: String
        ) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try #require(try await stand.token()["access_token"]?.string)
                stand.provider.end(accessToken: held)
                let finished = try await Self.run(command, stand)
                #expect(finished.output.contains("\"email\":\"alice@example.org\""), "\(finished)")
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test(arguments: [
            (commands[0], false), (commands[1], true), (commands[2].replacing("curl -s", with: "curl -sL"), true),
            ("tokenctl call work \"$URL\" -- --location", true),
        ]) func `no redirect takes a token to another host`(_ command: String, _ follows: Bool) async throws {
            let seen = Mutex<[[String]]>([])
            let other = try ByteServer { request, connection in
                seen.withLock { $0.append(request.headers("Authorization")) }
                return connection.send(WireResponse.text("elsewhere").bytes)
            }
            defer { other.stop() }
            let elsewhere = "http://localhost:\(other.port)/me"
            let api = try ByteServer { request, connection in
                let isAuthorized = request.header("Authorization")?.hasPrefix("Bearer ") == true
                let answer: WireResponse =
                    isAuthorized ? .redirect(to: elsewhere, status: 302) : .text("who?", status: 403)
                return connection.send(answer.bytes)
            }
            defer { api.stop() }
            try await Stand.with { stand in
                try await stand.signIn()
                let finished = try await Self.run(command, stand, url: "http://127.0.0.1:\(api.port)/me")
                #expect(finished.output.contains("elsewhere") == follows, "\(finished)")
                #expect(seen.withLock { $0 } == (follows ? [[]] : []))
            }
        }
    }
}
