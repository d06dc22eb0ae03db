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

    /// The program's file; nil where the kernel does not let us see it.
    var executable: ProcessIdentity.Executable? {
        guard let file = FileIdentity(at: path + "/exe") else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path + "/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer.prefix(count).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        return .init(file: file, path: path, isThere: FileIdentity(at: path) == file)
    }

    func identity(uid: UInt32) -> PeerIdentity {
        do throws(Exhausted) {
            return try look(uid: uid)
        } catch {
            // What could not be looked at might have said that it is in a sandbox.
            return .unknown(pid: pid, .exhausted)
        }
    }

    private func look(uid: UInt32) throws(Exhausted) -> PeerIdentity {
        // Without a view of its root, it may be in a sandbox.
        let opened = open(path + "/root", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        guard let root = try Exhausted.check(opened) else { return .unknown(pid: pid, .unreadable) }
        defer { close(root) }
        guard let executable, let groups = try text("cgroup") else { return .unknown(pid: pid, .unreadable) }
        let group = ControlGroup(groups)
        let flatpak: String?
        switch try flatpakID(in: root) {
        case .none: flatpak = nil
        case .unreadable: return .unknown(pid: pid, .sandbox)
        case .named(let id): flatpak = id
        }
        var label = try text("attr/apparmor/current")
        if label == nil { label = try text("attr/current") }
        let snap = label.flatMap(SandboxText.snapName(label:))
        // A program may be able to lie about one of them, and not about both.
        if let scope = group?.flatpak, scope != flatpak { return .unknown(pid: pid, .sandbox) }
        if let scope = group?.snap, let snap, scope != snap { return .unknown(pid: pid, .sandbox) }
        var identity = ProcessIdentity(pid: pid, uid: uid, executable: executable, unit: group?.unit)
        if let flatpak {
            identity.sandbox = .flatpak(flatpak)
        } else if let snap = snap ?? group?.snap {
            identity.sandbox = .snap(snap)
        } else if !Self.isOwnRoot(root) {
            // A container, or a program in a sandbox that has built itself a root without the sandbox's name in it.
            return .unknown(pid: pid, .sandbox)
        }
        return .known(identity)
    }

    /// This process, or the machine, has no descriptor left.
    private struct Exhausted: Error {
        /// - Returns: nil, with `errno` as it was, where a file could not be opened for any other reason.
        static func check(_ descriptor: Int32) throws(Exhausted) -> Int32? {
            guard descriptor < 0 else { return descriptor }
            if errno == EMFILE || errno == ENFILE { throw Exhausted() }
            return nil
        }
    }

    /// Whether it is the root that this process has, too.
    private static func isOwnRoot(_ root: Int32) -> Bool {
        var status = stat()
        guard fstat(root, &status) == 0, let own = FileIdentity(at: "/") else { return false }
        return own == FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    private enum Flatpak {
        case none
        case named(String)
        case unreadable
    }

    /// What Flatpak puts at the root of each of its sandboxes.
    private func flatpakID(in root: Int32) throws(Exhausted) -> Flatpak {
        let opened = openat(root, ".flatpak-info", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard let descriptor = try Exhausted.check(opened) else { return errno == ENOENT ? .none : .unreadable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let text = Self.text(of: descriptor)
        else { return .unreadable }
        return SandboxText.flatpakID(text).map { .named($0) } ?? .unreadable
    }

    private func text(_ name: String) throws(Exhausted) -> String? {
        guard let descriptor = try Exhausted.check(open(path + "/" + name, O_RDONLY | O_CLOEXEC)) else { return nil }
        defer { close(descriptor) }
        return Self.text(of: descriptor)
    }

    private static func text(of descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
        return nil
    }
}
