// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport
import Testing

@testable import Systemd

/// A process may have a root of its own making, and be the one who serves that file system.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServedRootTests {
    /// Says each question that its file system is asked, and `ready PID` once a process has that for its root.
    private static let program = """
        import ctypes, os, struct, time
        out, uid, gid = int(os.environ["OUT"]), os.getuid(), os.getgid()
        libc = ctypes.CDLL(None)
        assert libc.unshare(0x10020000) == 0
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            open("/proc/self/" + name, "w").write(text)
        fuse = os.open("/dev/fuse", os.O_RDWR)
        place = os.environ["PLACE"].encode()
        assert libc.mount(b"x", place, b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse) == 0
        if os.fork() == 0:
            libc.prctl(1, 9)
            os.chdir(place)
            os.chroot(".")
            os.write(out, b"ready %d\\n" % os.getpid())
            time.sleep(60)
            os._exit(0)
        while True:
            _, question, unique = struct.unpack("<IIQ", os.read(fuse, 1 << 17)[:16])
            os.write(out, b"asked %d\\n" % question)
            error, answer = 0, b""
            if question == 26: answer = struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 16, 12, 65536, 1, 0, 0, 0)
            elif question == 3: answer = struct.pack("<QII6Q10I", 0, 0, 0, 1, *[0] * 8, 0o40755, 2, 0, 0, 0, 4096, 0)
            elif question in (27, 28): answer = struct.pack("<QII", 0, 0, 0)
            elif question in (2, 38, 42): continue
            else: error = -2 if question == 1 else -38
            os.write(fuse, struct.pack("<IiQ", 16 + len(answer), error, unique) + answer)
        """

    @Test(.enabled(if: access("/dev/fuse", R_OK | W_OK) == 0, "there is no FUSE here"))
    func `to look at a process asks nobody who serves its root, who need not answer`() throws {
        let (folder, pipe) = (try TemporaryFolder(), try Pipe())
        let command = ["env", "OUT=\(pipe.writeEnd)", "PLACE=\(folder.path)", "/usr/bin/python3", "-c", Self.program]
        let server = try startProgram(command, keeping: pipe.writeEnd)
        pipe.closeWriteEnd()
        var line = ""
        repeat { line = pipe.readLine() } while line.hasPrefix("asked")
        let pid = try #require(Int32(line.dropFirst("ready ".count)), "\(line)")
        #expect(SeenProcess(pid) != nil)
        #expect(ProcessFolder(pid).identity(uid: geteuid()) == .unknown(pid: pid, .sandbox))
        kill(server, SIGKILL)
        waitpid(server, nil, 0)
        #expect(pipe.readAll() == "")
    }

    @Test func `the types of file systems are read where the kernel writes them`() {
        let mounts = """
            30 1 0:26 / / rw,relatime shared:1 - tmpfs tmpfs rw
            31 30 0:27 / /a rw - fuse.tmpfs tmpfs rw
            32 30 8:1 / /b\\040-\\040tmpfs rw master:1 propagate_from:2 - ext4 tmpfs rw
            33 30 0:28 / /c rw - tmpfs
            34 30 - tmpfs
            35
            """
        #expect(ProcessRoot.devices(mounts) { $0 == "tmpfs" } == ["0:26", "0:28"])
        #expect(ProcessRoot.devices(mounts) { !$0.hasPrefix("fuse") } == ["0:26", "8:1", "0:28"])
    }
}
