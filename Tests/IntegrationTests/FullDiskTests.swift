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
                let held = try await stand.token()["access_token"]
                try disk.fill()
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_unavailable")
                #expect(refusal.message.contains("No space left"))
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                #expect(try await stand.token()["access_token"] == held)
                disk.free()
                #expect(try await stand.token(["fresh": true])["refreshed"]?.bool == true)
                try await expectLiveTokenAfterCrash(stand)
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
                // It is tried again by itself; the token that came with it is served from then on.
                var served = held
                while served == held {
                    try await Task.sleep(for: .milliseconds(100))
                    served = try await stand.token()["access_token"]
                }
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
                try await expectLiveTokenAfterCrash(stand)
            }
        }

        /// What lies on the disk is the provider's live refresh token.
        private func expectLiveTokenAfterCrash(_ stand: Stand) async throws {
            try await stand.daemon.kill()
            let next = try await DaemonProcess.start(stand.world)
            let client = try next.connect()
            try await FileStoreStand.unlock(client)
            let result = try await client.result("token.get", ["account": "work", "fresh": true])
            #expect(result["refreshed"]?.bool == true)
            #expect(stand.provider.accepts(accessToken: try #require(result["access_token"]?.string)))
            try await next.stop()
        }

        /// A file system of 64 KiB.
        private struct Disk {
            let folder: String
            private var filler: String { folder + "/filler" }

            /// Leaves no byte of space.
            func fill() throws {
                let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
                try #require(descriptor >= 0)
                defer { close(descriptor) }
                let block = [UInt8](repeating: 0, count: 4096)
                while write(descriptor, block, block.count) > 0 {}
                try #require(errno == ENOSPC)
            }

            func free() { unlink(filler) }
        }

        private func withTinyDisk(_ body: (Stand, Disk) async throws -> Void) async throws {
            var template = Array("/tmp/tokend-disk.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { rmdir(folder) }
            try #require(mount("tmpfs", folder, "tmpfs", 0, "size=64k,mode=0700") == 0)
            // Also of a daemon that still runs there.
            defer { umount2(folder, Int32(MNT_DETACH)) }
            try await Stand.with(
                keyring: .none,
                prepare: { world, provider in
                    try world.writeConfiguration("{ store: \"file\", store_file: { path: \"\(folder)/store.json\" } }")
                    try world.writeAccount("work", issuer: provider.issuer)
                }
            ) { stand in
                try await FileStoreStand.unlock(stand.client)
                try await body(stand, Disk(folder: folder))
            }
        }
    }
}
