// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Disks that fail: the file store on one that does not make durable what it is given, and the keyring on a full one.
    @Suite struct DiskFaults {
        /// fsync(2) as a broken disk has it, wherever the file that `BROKEN_DISK` names is there.
        private static let library = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <stdlib.h>
            #include <unistd.h>

            int fsync(int descriptor) {
                if (access(getenv("BROKEN_DISK"), F_OK) == 0) {
                    errno = EIO;
                    return -1;
                }
                return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
            }
            """

        /// A daemon with the file store whose disk is broken while a file is there.
        private struct Disk {
            let marker: String

            func fail() throws { try Data().write(to: URL(filePath: marker)) }
            func mend() { unlink(marker) }
        }

        private func withBreakableDisk(_ body: (Stand, Disk) async throws -> Void) async throws {
            var template = Array("/tmp/tokend-fsync.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try Data(Self.library.utf8).write(to: URL(filePath: folder + "/fsync.c"))
            let built = try await ChildProcess.run(
                "gcc",
                ["-shared", "-fPIC", "-o", folder + "/fsync.so", folder + "/fsync.c"],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            try #require(built.status == .code(0), "\(built.errors)")
            let disk = Disk(marker: folder + "/broken")
            try await FileStoreStand.with(
                adding: ["LD_PRELOAD": folder + "/fsync.so", "BROKEN_DISK": disk.marker]
            ) { stand in
                try await FileStoreStand.unlock(stand.client)
                try await stand.signIn()
                try await body(stand, disk)
            }
        }

        @Test func `a failing fsync is an error to that write alone, and loses nothing`() async throws {
            try await withBreakableDisk { stand, disk in
                try await stand.expectRefusalBeforeRefresh("Input/output error", fault: disk.fail, mend: disk.mend)
                try await stand.expectLiveTokenAfterCrash()
            }
        }

        @Test func `an answer that no fsync makes durable is kept, and stored once one does`() async throws {
            try await withBreakableDisk { stand, disk in
                let held = try await stand.token()["access_token"]
                let gate = Gate()
                try await stand.provider.next(.token, .arrived)
                stand.provider.script(.token, .commitAndHang(until: gate))
                let asked = stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                try disk.fail()
                gate.open()
                #expect(DaemonRefusal(try await stand.client.reply(to: asked)).kind == "store_unavailable")
                #expect(try await stand.status()["state"] == "retrying")
                disk.mend()
                try await stand.expectKeptAnswer(after: held)
            }
        }
    }
}
