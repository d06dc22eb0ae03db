// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TestSupport

/// A file system of 64 KiB of its own, which a test fills. Takes root.
struct TinyDisk {
    let folder: String
    private var filler: String { folder + "/filler" }

    /// Mounts it over a folder.
    init(at folder: String) throws {
        self.folder = folder
        guard mount("tmpfs", folder, "tmpfs", 0, "size=64k,mode=0700") == 0 else { throw SystemCallError("mount") }
    }

    /// Takes it away, also from under a program that still runs there.
    func unmount() { umount2(folder, Int32(MNT_DETACH)) }

    /// Leaves no byte of space.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallError("open") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw SystemCallError("fill") }
    }

    func free() { unlink(filler) }
}
