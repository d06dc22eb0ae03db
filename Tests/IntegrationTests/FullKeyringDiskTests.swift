// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// gnome-keyring with its files on a disk that is full at the worst moment: a tiny tmpfs, which takes root to mount.
    @Suite(.enabled(if: geteuid() == 0, "mounting a tmpfs takes root")) struct FullKeyringDisk {
        @Test func `a keyring without space before a rotating refresh: nothing is sent, and it goes on with space`()
            async throws
        {
            try await withTinyDisk { stand, disk in
                let reason = "cannot store an item in the keyring"
                try await stand.expectRefusalBeforeRefresh(reason, fault: disk.fill, mend: disk.free)
                try await expectLiveToken(stand)
            }
        }

        @Test func `a keyring without space while a refresh is under way: the new token is stored once there is space`()
            async throws
        {
            try await withTinyDisk { stand, disk in
                let held = try await stand.token()["access_token"]
                let gate = Gate()
                stand.provider.script(.token, .commitAndHang(until: gate))
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                try await stand.provider.next(.token, .arrived)
                try disk.fill()
                gate.open()
                let refusal = DaemonRefusal(try await stand.client.reply(to: asked))
                #expect(refusal.kind == "store_unavailable", "\(refusal)")
                disk.free()
                try await stand.daemon.hasLogged("work: renewed")
                #expect(try await stand.token()["access_token"] != held)
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
                try await expectLiveToken(stand)
            }
        }

        /// What the keyring holds is the provider's live refresh token, also for the next daemon.
        private func expectLiveToken(_ stand: Stand) async throws {
            let item = try await stand.keyringItem("work")
            #expect(stand.provider.liveRefreshTokens.contains { item.contains($0) })
            try await stand.crash { next in
                let result = try await next.token(["fresh": true])
                #expect(result["refreshed"] == true)
            }
        }

        /// With an account that is signed in.
        private func withTinyDisk(_ body: (Stand, TinyDisk) async throws -> Void) async throws {
            try await Stand.with { stand in
                let folder = stand.session.folder + "/home/.local/share/keyrings"
                let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { name in
                    (path: folder + "/" + name, content: try Data(contentsOf: URL(filePath: folder + "/" + name)))
                }
                let disk = try TinyDisk(at: folder)
                defer { disk.unmount() }
                for (path, content) in files { try content.write(to: URL(filePath: path)) }
                try await stand.signIn()
                try await body(stand, disk)
            }
        }
    }
}
