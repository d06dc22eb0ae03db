// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The verbs that run other programs.
    @Suite struct CommandLinePrograms {
        @Test func `exec runs a program with a token, and ends as it does`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let tokenctl = Tokenctl(stand.world)
                let shown = try await tokenctl.run("exec", "work", "--env", "T", "--", "sh", "-c", "echo $T; exit 7")
                #expect(shown.exitCode == 7)
                #expect(stand.provider.accepts(accessToken: String(shown.output.dropLast())), "\(shown)")
                // The program takes the place of tokenctl: the whole process has the token nowhere but in its environment.
                let line = try await tokenctl.run("exec", "work", "--", "cat", "/proc/self/cmdline")
                #expect(line.output == "cat\0/proc/self/cmdline\0")
                // A pipe that breaks ends it, as it would without us.
                let broken = try await tokenctl.run("exec", "work", "--", "sh", "-c", "kill -PIPE $$; exit 3")
                #expect(broken.exitCode == 128 + 13)
            }
        }

        @Test func `call asks an API with the token, by the curl that is installed`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let tokenctl = Tokenctl(stand.world)
                let url = stand.provider.origin + "/userinfo"
                let answer = try await tokenctl.run("call", "work", url)
                #expect(answer.exitCode == 0, "\(answer)")
                #expect(try JSONReader().read(answer.output).object?["email"] == "alice@example.org")
                #expect(answer.talk.isEmpty)
                stand.provider.script(.userinfo, .answer(.text("no", status: 401)))
                let again = try await tokenctl.run("call", "work", "GET", url, "--", "--include")
                #expect(again.exitCode == 0, "\(again)")
                #expect(again.output.hasPrefix("HTTP/1.1 200"))
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test func `call says which scope the API wants`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                var refusal = WireResponse.text("no", status: 403)
                refusal.setHeader("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"")
                stand.provider.scriptAlways(.userinfo, .answer(refusal))
                let run = try await Tokenctl(stand.world).run("call", "work", stand.provider.origin + "/userinfo")
                #expect(run.exitCode == 22)
                #expect(run.output == "no")
                #expect(run.talk.contains("tokenctl login work --scope 'write'"))
            }
        }
    }
}
