// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Who connected, by every means that kernels have.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PeerProcessTests {
    @Test(arguments: PeerProcess.Means.allCases)
    func `a process is named by its file, its user and its number`(means: PeerProcess.Means) throws {
        let pair = try Pair()
        let peer = PeerProcess(try UnixSocket.credentials(of: pair.ours), means: means)
        guard case .known(let process) = peer.identity(on: pair.ours) else {
            Issue.record("\(peer.identity(on: pair.ours))")
            return
        }
        #expect(process.pid == getpid() && process.uid == geteuid() && process.sandbox == nil)
        #expect(process.executable.file == FileIdentity(at: "/proc/self/exe"))
        #expect(peer.program(on: pair.ours) == process.executable.file)
    }

    @Test(arguments: PeerProcess.Means.allCases)
    func `a process that has ended is unknown, also once another has its number`(means: PeerProcess.Means) throws {
        let visitor = try Visitor()
        let peer = PeerProcess(visitor.credentials, means: means)
        #expect(peer.program(on: visitor.descriptor) != nil)
        visitor.end()
        #expect(peer.identity(on: visitor.descriptor) == .unknown(pid: visitor.pid, .ended))
        let heir = try Self.process(numbered: visitor.pid)
        defer { Self.end(heir) }
        #expect(heir == visitor.pid && kill(visitor.pid, 0) == 0)
        #expect(peer.identity(on: visitor.descriptor) == .unknown(pid: visitor.pid, .ended))
        #expect(peer.program(on: visitor.descriptor) == nil)
    }

    @Test func `a process that was seen is told from the next one of its number`() throws {
        let visitor = try Visitor()
        let seen = try #require(SeenProcess(visitor.pid))
        #expect(seen.path.contains("python3") && seen.sandbox == nil && seen.isUnchanged)
        visitor.end()
        #expect(!seen.isUnchanged && SeenProcess(visitor.pid) == nil)
        let heir = try Self.process(numbered: visitor.pid)
        defer { Self.end(heir) }
        #expect(heir == visitor.pid && !seen.isUnchanged)
        #expect(try #require(SeenProcess(heir)).isUnchanged)
    }

    @Test func `a process that was seen is told from the program that it becomes`() throws {
        let pipe = try Pipe()
        let shell = try startProgram(
            ["bash", "-c", "read -n 1 <&\(pipe.readEnd); exec sleep 60"],
            keeping: pipe.readEnd
        )
        defer { Self.end(shell) }
        func isCalled(_ name: String) -> Bool { SeenProcess(shell)?.path.hasSuffix("/" + name) == true }
        while !isCalled("bash") { usleep(1000) }
        let seen = try #require(SeenProcess(shell))
        #expect(seen.isUnchanged)
        pipe.writeByte()
        while !isCalled("sleep") { usleep(1000) }
        #expect(!seen.isUnchanged)
    }

    @Test func `the caller of a process is its nearest ancestor that is no shell, while that one is there`() throws {
        let shell = try startProgram(["bash", "-c", "sh -c 'sleep 60 & wait' & wait"], keeping: STDOUT_FILENO)
        func child(of pid: Int32) throws -> Int32 {
            while true {
                let text = String(
                    decoding: try RegularFile.bytes(of: "/proc/\(pid)/task/\(pid)/children"),
                    as: UTF8.self
                )
                if let child = text.split(separator: " ").first.flatMap({ Int32($0) }) { return child }
                usleep(1000)
            }
        }
        let inner = try child(of: shell)
        let asleep = try child(of: inner)
        let caller = try #require(CallingProgram(of: asleep))
        #expect(caller.pid == getpid() && caller.executable.file == FileIdentity(at: "/proc/self/exe"))
        #expect(CallingProgram(of: shell) == caller)
        // The process that takes an orphan over has not called it.
        Self.end(shell)
        #expect(CallingProgram(of: asleep)?.pid != getpid())
        kill(inner, SIGKILL)
        kill(asleep, SIGKILL)
    }

    @Test func `what is read tells who wrote it`() throws {
        let pair = try Pair()
        try UnixSocket.passCredentials(pair.ours)
        #expect(write(pair.theirs, "mine", 4) == 4)
        #expect(try pair.receive() == "mine from \(getpid())")
        let child = try startProgram(["bash", "-c", "printf other >&\(pair.theirs)"], keeping: pair.theirs)
        waitpid(child, nil, 0)
        #expect(try pair.receive() == "other from \(child)")
        #expect(write(pair.theirs, "mine", 4) == 4)
        let next = try startProgram(["bash", "-c", "printf other >&\(pair.theirs)"], keeping: pair.theirs)
        waitpid(next, nil, 0)
        #expect(write(pair.theirs, "again", 5) == 5)
        #expect(try pair.receive() == "mine from \(getpid()), other from \(next)")
        #expect(try pair.receive() == "again from \(getpid())")
        // A descriptor that comes along is not taken in.
        #expect(Self.descriptors(like: pair.theirs) == 1)
        try pair.sendDescriptor()
        #expect(try pair.receive().hasPrefix("d from "))
        #expect(Self.descriptors(like: pair.theirs) == 1)
    }

    /// How many of this process's descriptors lead to the same thing; other tests open and close others meanwhile.
    private static func descriptors(like descriptor: Int32) -> Int {
        func inode(_ descriptor: Int32) -> ino_t? {
            var status = stat()
            return fstat(descriptor, &status) == 0 ? status.st_ino : nil
        }
        let wanted = inode(descriptor)
        return (0..<1024).count { inode($0) == wanted }
    }

    /// Starts processes until one has this number. The kernel is told where to go on counting, which needs root.
    private static func process(numbered pid: Int32) throws -> Int32 {
        let set = "echo \(pid - 1) >/proc/sys/kernel/ns_last_pid"
        for _ in 0..<200 {
            if geteuid() == 0 {
                guard let file = fopen("/proc/sys/kernel/ns_last_pid", "w") else { break }
                fputs("\(pid - 1)", file)
                fclose(file)
            } else {
                waitpid(try startProgram(["sudo", "-n", "sh", "-c", set], keeping: STDOUT_FILENO), nil, 0)
            }
            let heir = try startProgram(["sleep", "60"], keeping: STDOUT_FILENO)
            if heir == pid { return heir }
            end(heir)
        }
        throw SystemdError(code: EPERM, operation: "start a process of a given number (it needs root, or sudo)")
    }

    private static func end(_ pid: Int32) {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }
}

/// Two ends of one connection, both this process's.
private final class Pair {
    let ours: Int32
    let theirs: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw SystemdError(code: errno, operation: "make a pair of sockets")
        }
        (ours, theirs) = (ends[0], ends[1])
    }

    deinit {
        close(ours)
        close(theirs)
    }

    /// What came, and from whom.
    func receive() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        // The writer may not have written yet: another test's wait may have seen the end of the child.
        var waiting = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 30_000)
        var pieces: [String] = []
        let count = bytes.withUnsafeMutableBytes { buffer in
            UnixSocket.receive(ours, into: buffer) { bytes, sender in
                pieces.append(String(decoding: bytes, as: UTF8.self) + " from \(sender)")
            }
        }
        guard count >= 0 else { throw SystemdError(code: errno, operation: "read") }
        return pieces.joined(separator: ", ")
    }

    /// Sends one byte with that very end's descriptor, by way of a program that can.
    func sendDescriptor() throws {
        let script =
            "import array,os,socket; s=socket.socket(fileno=\(theirs)); "
            + "s.sendmsg([b'd'],[(socket.SOL_SOCKET,socket.SCM_RIGHTS,array.array('i',[\(theirs)]))]); s.detach()"
        let child = try startProgram(["/usr/bin/python3", "-c", script], keeping: theirs)
        waitpid(child, nil, 0)
    }
}

/// Another process that connected.
private final class Visitor {
    let descriptor: Int32
    let pid: Int32
    let credentials: UnixSocket.Credentials
    private let folder: TemporaryFolder
    private var isRunning = true

    init() throws {
        folder = try TemporaryFolder()
        let listener = try UnixSocketListener.bind(folder.path + "/socket")
        defer { close(listener) }
        let script =
            "import socket,time; s=socket.socket(socket.AF_UNIX); s.connect('\(folder.path)/socket'); "
            + "time.sleep(60)"
        pid = try startProgram(["/usr/bin/python3", "-c", script], keeping: STDOUT_FILENO)
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 30_000)
        descriptor = try UnixSocket.accept(listener)
        credentials = try UnixSocket.credentials(of: descriptor)
    }

    deinit {
        if isRunning { end() }
        close(descriptor)
    }

    /// Ends it and lets its number go.
    func end() {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        isRunning = false
    }
}
