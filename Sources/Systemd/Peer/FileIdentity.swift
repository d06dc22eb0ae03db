// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// A file's identity, whatever its name: device and inode.
package struct FileIdentity: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The file at `path` in this process's view, links followed; nil if it is not visible.
    package init?(at path: String) {
        guard let entry = FileEntry(path) else { return nil }
        self = entry.identity
    }

    /// The entry at `path` itself, without following a link; nil if it is not visible.
    package init?(ofEntry path: String) {
        guard let entry = FileEntry(path, flags: AT_SYMLINK_NOFOLLOW) else { return nil }
        self = entry.identity
    }
}

/// What the kernel knows of a file by itself: nobody who serves its file system is asked, so that nobody can keep us
/// waiting.
struct FileEntry {
    let identity: FileIdentity
    /// The device as `mountinfo` writes it (proc_pid_mountinfo(5)).
    let device: String
    let isRegular: Bool

    /// - Returns: nil, with `errno`, where it cannot be seen.
    init?(_ path: String, flags: Int32 = 0) {
        var entry = tokend_systemd_entry()
        guard tokend_systemd_look(AT_FDCWD, path, flags, &entry) == 0 else { return nil }
        self.init(entry)
    }

    /// An open file.
    init?(of descriptor: Int32) {
        var entry = tokend_systemd_entry()
        guard tokend_systemd_look_at(descriptor, &entry) == 0 else { return nil }
        self.init(entry)
    }

    private init(_ entry: tokend_systemd_entry) {
        identity = FileIdentity(device: entry.device, inode: entry.inode)
        device = "\(entry.major):\(entry.minor)"
        isRegular = entry.mode & S_IFMT == S_IFREG
    }
}
