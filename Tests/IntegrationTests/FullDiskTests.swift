// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The file store on a disk that is full at the worst moment: a tiny tmpfs, which takes root to mount.
    @Suite(.enabled(if: geteuid() == 0, "mounting a tmpfs takes root")) struct FullDisk {
        @Test func `before a rotating refresh: nothing is sent, the held token is served, and it goes on with space`()
            async throws
        {
            try await withTinyDisk { stand, disk in
                try await stand.signIn()
                try await stand.expectRefusalBeforeRefresh("No space left", fault: disk.fill, mend: disk.free)
                try await stand.expectLiveTokenAfterCrash()
            }
        }

        @Test func `while a refresh is under way: the new token is not lost, and is stored once there is space`()
            async throws
        {
            try await withTinyDisk { stand, disk in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                let gate = Gate()
                stand.provider.script(.token, .commitAndHang(until: gate))
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                try await stand.provider.next(.token, .arrived)
                try disk.fill()
                gate.open()
                let refusal = DaemonRefusal(try await stand.client.reply(to: asked))
                #expect(refusal.kind == "store_unavailable")
                #expect(refusal.message.contains("No space left"))
                disk.free()
                try await stand.expectKeptAnswer(after: held)
            }
        }

        @Test func `a logout that cannot be noted is said, noted once there is space, and then survives a restart`()
            async throws
        {
            try await withTinyDisk { stand, disk in
                try await stand.signIn()
                let state = stand.session.folder + "/state/tokend"
                // The state folder lies on the disk, the store is locked by a restart.
                try #require(mkdir(disk.folder + "/state", 0o700) == 0)
                try #require(symlink(disk.folder + "/state", state) == 0)
                try await stand.daemon.kill()
                let second = try await DaemonProcess.start(stand.world)
                let client = try second.connect()
                try disk.fill()
                let result = try await client.result("logout", ["account": "work", "revoke": false])
                #expect(result["removal_pending"]?.bool == true)
                #expect(result["removal_fault"]?.string?.contains("No space left on device") == true)
                var pause: DaemonRefusal?
                do {
                    _ = try await client.result("account.pause", ["account": "work"])
                } catch let refusal as DaemonRefusal {
                    pause = refusal
                }
                #expect(pause?.kind == "internal_error")
                #expect(pause?.message.contains("only until tokend is restarted") == true)
                disk.free()
                let again = try await client.result("logout", ["account": "work", "revoke": false])
                #expect(again["removal_pending"]?.bool == true && again["removal_fault"] == nil)
                try await second.kill()
                let third = try await DaemonProcess.start(stand.world)
                let last = try third.connect()
                try await FileStoreStand.unlock(last)
                let reply = try await last.reply(to: last.ask("token.get", ["account": "work"]))
                #expect(DaemonRefusal(reply).data["reason"]?.string == "signed_out")
                let status = try await last.result("status", ["account": "work"])["accounts"]?.array?.first?.object
                #expect(status?["paused"]?.bool == true)
                try await third.stop()
            }
        }

        private func withTinyDisk(_ body: (Stand, TinyDisk) async throws -> Void) async throws {
            var template = Array("/tmp/tokend-disk.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { rmdir(folder) }
            let disk = try TinyDisk(at: folder)
            defer { disk.unmount() }
            try await Stand.with(
                keyring: .none,
                prepare: { world, provider in
                    try world.writeConfiguration("{ store: \"file\", store_file: { path: \"\(folder)/store.json\" } }")
                    try world.writeAccount("work", issuer: provider.issuer)
                }
            ) { stand in
                try await FileStoreStand.unlock(stand.client)
                try await body(stand, disk)
            }
        }
    }
}
