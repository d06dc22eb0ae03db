// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// What `/proc/PID` tells of a process. The number alone may be another's by the next look: `PeerProcess` sees to that.
struct ProcessFolder {
    private let pid: Int32
    private var path: String { "/proc/\(pid)" }
    /// More than any of these files holds.
    private static let limit = 64 * 1024

    init(_ pid: Int32) {
        self.pid = pid
    }

    /// In ticks since the machine's start; nil where there is no such process.
    var startTime: UInt64? {
        (try? text("stat")).flatMap(SandboxText.startTime(stat:))
    }

    /// Where the program's file is, as the process's own view has it; nil where the kernel does not let us see it.
    var programPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path + "/exe", start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// The program's file; nil where the kernel does not let us see it.
    var executable: ProcessIdentity.Executable? {
        guard let file = FileIdentity(at: path + "/exe"), let path = programPath else { return nil }
        return .init(file: file, path: path, isThere: FileIdentity(at: path) == file)
    }

    func identity(uid: UInt32) -> PeerIdentity {
        do throws(PeerIdentity.Doubt) {
            guard let executable else { throw .unreadable }
            let group = try controlGroup()
            let sandbox = try sandbox(in: group)
            return .known(
                ProcessIdentity(pid: pid, uid: uid, executable: executable, unit: group?.unit, sandbox: sandbox)
            )
        } catch {
            return .unknown(pid: pid, error)
        }
    }

    /// - Returns: nil where it is in no group of systemd's.
    func controlGroup() throws(PeerIdentity.Doubt) -> ControlGroup? {
        guard let text = try text("cgroup") else { throw .unreadable }
        return ControlGroup(text)
    }

    /// The sandbox that it is in.
    ///
    /// - Returns: nil where it is known to be in none.
    /// - Throws: also where a descriptor was short: what could not be looked at might have said that it is in one.
    func sandbox(in group: ControlGroup?) throws(PeerIdentity.Doubt) -> ProcessIdentity.Sandbox? {
        let root = try ProcessRoot(path + "/root")
        var label: String?
        for name in Self.labels where label == nil { label = try text(name) }
        let snap = label.flatMap(SandboxText.snapName(label:))
        // A program may be able to lie about one of them, and not about both.
        if let scope = group?.flatpak, scope != root.flatpak { throw .sandbox }
        if let scope = group?.snap, let snap, scope != snap { throw .sandbox }
        if let flatpak = root.flatpak { return .flatpak(flatpak) }
        if let snap = snap ?? group?.snap { return .snap(snap) }
        // A container, or a program in a sandbox that has built itself a root without the sandbox's name in it.
        guard root.isOwn else { throw .sandbox }
        return nil
    }

    /// Where the name that a security module has for the process may be. The kernel says once and for all whether it has
    /// such a module.
    private static let labels = ["attr/apparmor/current", "attr/current"].filter { name in
        let descriptor = open("/proc/self/" + name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT || access("/proc/self/attr", F_OK) != 0 }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) >= 0 || errno != EINVAL
    }

    private func text(_ name: String) throws(PeerIdentity.Doubt) -> String? {
        let descriptor = try PeerIdentity.Doubt.check(open(path + "/" + name, O_RDONLY | O_CLOEXEC))
        guard let descriptor else { return nil }
        defer { close(descriptor) }
        return Self.text(of: descriptor)
    }

    /// A file's text, where it is not long. A read that leaves room was the last one: the kernel makes such a text at once.
    static func text(of descriptor: Int32) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { chunk in
            var bytes: [UInt8] = []
            while bytes.count < limit {
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                bytes += chunk[..<count]
                if count < chunk.count { return String(decoding: bytes, as: UTF8.self) }
            }
            return nil
        }
    }
}

extension PeerIdentity.Doubt {
    /// - Returns: nil, with `errno` as it was, where a file could not be opened.
    /// - Throws: `exhausted` where this process, or the machine, has no descriptor left.
    static func check(_ descriptor: Int32) throws(PeerIdentity.Doubt) -> Int32? {
        guard descriptor < 0 else { return descriptor }
        if errno == EMFILE || errno == ENFILE { throw .exhausted }
        return nil
    }
}
