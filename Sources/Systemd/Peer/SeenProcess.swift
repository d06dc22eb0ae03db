// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// A process for the log: the one with this number at the time of inspection.
///
/// It can cheaply tell whether it is still the same process with the same program.
package struct SeenProcess: Sendable {
    /// The program's file in the process's own view.
    package let path: String
    /// Its unit in the user's service manager.
    package let unit: String?
    /// Its sandbox; nil also if that has no name.
    package let sandbox: ProcessIdentity.Sandbox?
    private let pid: Int32
    private let folder: FolderMark

    /// - Returns: nil if the process is not visible, for example after its end.
    package init?(_ pid: Int32) {
        // Read first: if the number is reused meanwhile, the mark is not the new process's.
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

    /// Whether the number still belongs to this process, with the same program.
    package var isUnchanged: Bool {
        FolderMark(pid) == folder && ProcessFolder(pid).programPath == path
    }
}

/// Distinguishes the folder in `/proc` from that of a later process with the same number: the kernel creates the folder
/// for each process, with the next inode number and the time. It may also do so for the same process if memory is
/// short.
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
