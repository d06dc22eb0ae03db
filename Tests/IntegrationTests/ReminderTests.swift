// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A sign-in that is needed, on a real notification service.
    @Suite struct Reminders {
        @Test func `a sign-in that is needed is told once, with a button that begins it, until it is done (E11)`()
            async throws
        {
            try await Stand.with { stand in
                let desktop = try await DunstDesktop(stand.session, choosing: nil)
                try stand.world.writeConfiguration("{ browser: [\"\(try browser(stand))\"] }")
                _ = try await stand.client.result("config.reload")
                try await stand.signIn()
                try await endGrant(stand)
                _ = try await desktop.titles.line { $0 == "Sign in to “work”" }
                try await endGrant(stand)
                #expect(try await desktop.count() == "1")
                // Somebody signs in without the button: that is said in its place.
                try await stand.signIn()
                _ = try await desktop.titles.line { $0 == "Signed in to “work”" }
                #expect(try await desktop.count() == "1")
                // And with it.
                let events = try stand.daemon.connect()
                _ = try await events.result("events.subscribe")
                try desktop.choose("Sign in")
                try await endGrant(stand)
                while try await events.nextReply()["params"]?.object?["type"] != "login_finished" {}
                #expect(try await stand.status()["state"] == "ready")
                #expect(desktop.titles.output == "Sign in to “work”\nSigned in to “work”\nSign in to “work”\n")
            }
        }

        private func endGrant(_ stand: Stand) async throws {
            stand.provider.revokeGrants()
            #expect(try await stand.refusal("account.refresh", ["account": "work"]).kind == "login_required")
        }

        /// A browser whose user agrees to everything.
        private func browser(_ stand: Stand) throws -> String {
            let path = stand.session.folder + "/browser"
            try Data("#!/bin/sh\nexec curl -sSL -o /dev/null \"$1\"\n".utf8).write(to: URL(filePath: path))
            chmod(path, 0o755)
            return path
        }
    }
}
