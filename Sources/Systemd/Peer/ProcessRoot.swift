// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The root folder of a process, which identifies sandboxes and containers.
///
/// A process in its own user namespace chooses its root, and may serve that file system itself (FUSE). So only the
/// kernel is asked, and only file systems in memory, or ones that are also mounted here, are read.
struct ProcessRoot {
    /// The Flatpak named there.
    let flatpak: String?
    /// Whether it is also this process's root.
    let isOwn: Bool

    /// This process's own root, unless Flatpak created it. Nothing can be mounted over a name that does not exist: so
    /// no namespace has such a name in this folder.
    private static let plain: FileIdentity? = {
        let isPlain = access("/" + name, F_OK) != 0 && errno == ENOENT
        return isPlain ? FileIdentity(at: "/") : nil
    }()
    /// Flatpak's file at the root of each of its sandboxes.
    private static let name = ".flatpak-info"

    /// Inspects the root at `path`.
    ///
    /// - Parameter mounts: the process's `mountinfo`; nil if it cannot be read.
    init(_ path: String, mounts: () throws(PeerIdentity.Doubt) -> String?) throws(PeerIdentity.Doubt) {
        if let plain = Self.plain, plain == FileIdentity(at: path) {
            (flatpak, isOwn) = (nil, true)
            return
        }
        // All checks use the same folder, even if the process changes its root meanwhile.
        let opened = open(path, tokend_systemd_path_only | O_DIRECTORY | O_CLOEXEC)
        // If its root is not visible, it may be in a sandbox.
        guard let root = try PeerIdentity.Doubt.check(opened) else { throw .unreadable }
        defer { close(root) }
        guard let entry = FileEntry(of: root) else { throw .unreadable }
        isOwn = entry.identity == FileIdentity(at: "/")
        guard let mounts = try mounts() else { throw .sandbox }
        // Flatpak makes its roots of memory.
        let memory = Self.devices(mounts) { $0 == "tmpfs" }
        flatpak = isOwn || memory.contains(entry.device) ? try Self.flatpak(in: root, memory) : nil
    }

    /// The devices of these mounts whose file system is of a wanted type (proc_pid_mountinfo(5)).
    static func devices(_ mounts: String, _ isWanted: (_ type: String) -> Bool) -> Set<String> {
        var devices: Set<String> = []
        for line in mounts.utf8.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let end = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), end > 2, end + 1 < fields.count,
                isWanted(String(Substring(fields[end + 1])))
            else { continue }
            devices.insert(String(Substring(fields[2])))
        }
        return devices
    }

    /// What this process has mounted, and no program serves.
    private static func ownDevices() throws(PeerIdentity.Doubt) -> Set<String> {
        let mounts = try ProcessFolder(getpid()).mounts()
        return devices(mounts ?? "") { !$0.hasPrefix("fuse") }
    }

    private static func flatpak(in root: Int32, _ memory: Set<String>) throws(PeerIdentity.Doubt) -> String? {
        let found = openat(root, name, tokend_systemd_path_only | O_NOFOLLOW | O_CLOEXEC)
        guard let place = try PeerIdentity.Doubt.check(found) else {
            if errno == ENOENT { return nil }
            throw .sandbox
        }
        defer { close(place) }
        guard let entry = FileEntry(of: place), entry.isRegular else { throw .sandbox }
        let devices = memory.contains(entry.device) ? memory : try ownDevices()
        guard devices.contains(entry.device) else { throw .sandbox }
        let opened = open("/proc/self/fd/\(place)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard let descriptor = try PeerIdentity.Doubt.check(opened) else { throw .sandbox }
        defer { close(descriptor) }
        guard let id = ProcessFolder.text(of: descriptor).flatMap(SandboxText.flatpakID) else { throw .sandbox }
        return id
    }
}
