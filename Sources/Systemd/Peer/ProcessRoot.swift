// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The root folder of a process, by which sandboxes and containers are known.
struct ProcessRoot {
    /// The Flatpak that has put its name there.
    let flatpak: String?
    /// Whether it is the root that this process has, too.
    let isOwn: Bool

    /// This process's own, where it is one that no Flatpak has made. Nothing can be mounted in a folder over a name that
    /// the folder does not have: in no namespace is there such a name in this very folder.
    private static let plain: FileIdentity? = {
        let isPlain = access("/" + name, F_OK) != 0 && errno == ENOENT
        return isPlain ? FileIdentity(at: "/") : nil
    }()
    /// What Flatpak puts at the root of each of its sandboxes.
    private static let name = ".flatpak-info"

    /// Looks at the root that `path` leads to.
    init(_ path: String) throws(PeerIdentity.Doubt) {
        if let plain = Self.plain, plain == FileIdentity(at: path) {
            (flatpak, isOwn) = (nil, true)
            return
        }
        // All is said of the same folder, whichever root the process takes meanwhile.
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
        // Without a view of its root, it may be in a sandbox.
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
