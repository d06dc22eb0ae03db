// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The root folder of a process, which identifies sandboxes and containers.
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
    init(_ path: String) throws(PeerIdentity.Doubt) {
        if let plain = Self.plain, plain == FileIdentity(at: path) {
            (flatpak, isOwn) = (nil, true)
            return
        }
        // All checks use the same folder, even if the process changes its root meanwhile.
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        // If its root is not visible, it may be in a sandbox.
        guard let root = try PeerIdentity.Doubt.check(opened) else { throw .unreadable }
        defer { close(root) }
        flatpak = try Self.flatpak(in: root)
        var status = stat()
        let here = fstat(root, &status) == 0 ? FileIdentity(status) : nil
        isOwn = here != nil && here == FileIdentity(at: "/")
    }

    private static func flatpak(in root: Int32) throws(PeerIdentity.Doubt) -> String? {
        let opened = openat(root, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard let descriptor = try PeerIdentity.Doubt.check(opened) else {
            if errno == ENOENT { return nil }
            throw .sandbox
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let id = ProcessFolder.text(of: descriptor).flatMap(SandboxText.flatpakID)
        else { throw .sandbox }
        return id
    }
}
