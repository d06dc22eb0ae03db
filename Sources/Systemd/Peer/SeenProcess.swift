// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// A process as a log tells of it: whichever had the number when it was looked at.
///
/// It says without another whole look whether it is the same process still, with the same program.
package struct SeenProcess: Sendable {
    /// The program's file, as the process's own view has it.
    package let path: String
    /// The unit of the user's service manager that it belongs to.
    package let unit: String?
    /// The sandbox that it is in; nil also where that cannot be named.
    package let sandbox: ProcessIdentity.Sandbox?
    private let pid: Int32
    private let folder: FolderMark

    /// - Returns: nil where the process cannot be seen, such as when it has ended.
    package init?(_ pid: Int32) {
        // First of all: should the number become another's meanwhile, the mark is not that one's.
        guard let mark = FolderMark(pid) else { return nil }
        let process = ProcessFolder(pid)
        guard let path = process.programPath else { return nil }
        self.pid = pid
        self.path = path
        folder = mark
        do throws(PeerIdentity.Doubt) {
            let group = try process.controlGroup()
            unit = group?.userUnit
            sandbox = try? process.sandbox(in: group)
        } catch {
            (unit, sandbox) = (nil, nil)
        }
    }

    /// Whether the number is still this process's, and it has become no other program.
    package var isUnchanged: Bool {
        FolderMark(pid) == folder && ProcessFolder(pid).programPath == path
    }
}

/// What tells the folder in `/proc` from that of a later process of the same number: the kernel makes such a folder anew
/// for each process, with the next inode number and the time. It may do so for the same process, too, where memory is short.
private struct FolderMark: Sendable, Equatable {
    private let inode: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ pid: Int32) {
        var status = stat()
        guard stat("/proc/\(pid)", &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
        seconds = status.st_ctim.tv_sec
        nanoseconds = status.st_ctim.tv_nsec
    }
}
