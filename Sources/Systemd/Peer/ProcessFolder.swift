// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The data of `/proc/PID`. The number may be reused between two reads: `PeerProcess` handles that.
struct ProcessFolder {
    private let pid: Int32
    private var path: String { "/proc/\(pid)" }
    /// More than any of these files contains.
    private static let limit = 64 * 1024

    init(_ pid: Int32) {
        self.pid = pid
    }

    /// nil where there is no such process.
    var stat: SandboxText.ProcessStat? {
        (try? text("stat")).flatMap(SandboxText.stat)
    }

    /// In ticks since the machine's start; nil where there is no such process.
    var startTime: UInt64? { stat?.startTime }

    /// The program's path in the process's own view; nil if the kernel denies it.
    var programPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path + "/exe", start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// The program's file; nil if the kernel denies it.
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

    /// - Returns: nil if it is in no systemd group.
    func controlGroup() throws(PeerIdentity.Doubt) -> ControlGroup? {
        guard let text = try text("cgroup") else { throw .unreadable }
        return ControlGroup(text)
    }

    /// Its sandbox.
    ///
    /// - Returns: nil if it is known to be outside sandboxes.
    /// - Throws: also if descriptors are short, since a check that could not be made might have found one.
    func sandbox(in group: ControlGroup?) throws(PeerIdentity.Doubt) -> ProcessIdentity.Sandbox? {
        let root = try ProcessRoot(path + "/root") { () throws(PeerIdentity.Doubt) in try mounts() }
        var label: String?
        for name in Self.labels where label == nil { label = try text(name) }
        let snap = label.flatMap(SandboxText.snapName(label:))
        // A program may be able to fake one of them, but not both.
        if let scope = group?.flatpak, scope != root.flatpak { throw .sandbox }
        if let scope = group?.snap, let snap, scope != snap { throw .sandbox }
        if let flatpak = root.flatpak { return .flatpak(flatpak) }
        if let snap = snap ?? group?.snap { return .snap(snap) }
        // A container, or a program in a sandbox that has set up another root without the sandbox's file.
        guard root.isOwn else { throw .sandbox }
        return nil
    }

    /// What is mounted in its namespace, one line each; nil if that is long or cannot be read.
    func mounts() throws(PeerIdentity.Doubt) -> String? { try text("mountinfo", comesInLines: true) }

    /// The files for a security module's label. Whether the kernel has such a module never changes.
    private static let labels = ["attr/apparmor/current", "attr/current"].filter { name in
        let descriptor = open("/proc/self/" + name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT || access("/proc/self/attr", F_OK) != 0 }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) >= 0 || errno != EINVAL
    }

    private func text(_ name: String, comesInLines: Bool = false) throws(PeerIdentity.Doubt) -> String? {
        let descriptor = try PeerIdentity.Doubt.check(open(path + "/" + name, O_RDONLY | O_CLOEXEC))
        guard let descriptor else { return nil }
        defer { close(descriptor) }
        return Self.text(of: descriptor, comesInLines: comesInLines)
    }

    /// A file's text, if it is short. A read that leaves room was the last one, as the kernel generates such a text at
    /// once; `mountinfo` comes in whole lines instead.
    static func text(of descriptor: Int32, comesInLines: Bool = false) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { chunk in
            var bytes: [UInt8] = []
            while bytes.count < limit {
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                bytes += chunk[..<count]
                if count == 0 || count < chunk.count && !comesInLines { return String(decoding: bytes, as: UTF8.self) }
            }
            return nil
        }
    }
}

extension PeerIdentity.Doubt {
    /// - Returns: nil, with `errno` unchanged, if a file could not be opened.
    /// - Throws: `exhausted` if this process, or the machine, has no descriptor left.
    static func check(_ descriptor: Int32) throws(PeerIdentity.Doubt) -> Int32? {
        guard descriptor < 0 else { return descriptor }
        if errno == EMFILE || errno == ENFILE { throw .exhausted }
        return nil
    }
}
