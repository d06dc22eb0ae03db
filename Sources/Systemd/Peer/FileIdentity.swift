// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Which file it is, whatever name it is reached by: device and inode.
package struct FileIdentity: Sendable, Hashable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The file that `path` leads to in this process's own view, links followed; nil where there is none to be seen.
    package init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What lies at `path` itself, a link too; nil where there is nothing to be seen.
    package init?(ofEntry path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
