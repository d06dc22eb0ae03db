// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The program that started another one to get a token for it: the nearest ancestor of a process that is no shell.
///
/// Any program can start a second one and have that one ask, so this tells honest programs apart and keeps none out.
package struct CallingProgram: Sendable, Equatable {
    package var pid: Int32
    package var executable: ProcessIdentity.Executable

    package init(pid: Int32, executable: ProcessIdentity.Executable) {
        self.pid = pid
        self.executable = executable
    }

    /// Looks for it.
    ///
    /// - Parameter pid: a process that the caller keeps from ending unseen, or asks about for a log alone.
    /// - Returns: nil where there is none of this user's outside sandboxes, such as for what a service manager started.
    package init?(of pid: Int32) {
        guard let process = HeldProcess(pid), let found = Self.caller(of: process, depth: 16) else { return nil }
        self = found
    }

    /// - Parameter depth: so many ancestors are looked at.
    private static func caller(of process: borrowing HeldProcess, depth: Int) -> CallingProgram? {
        guard depth > 0, let parent = process.parent(), let executable = parent.program else { return nil }
        if passesOn(executable.path) { return caller(of: parent, depth: depth - 1) }
        return startsAnything(executable.path) ? nil : CallingProgram(pid: parent.pid, executable: executable)
    }

    /// Whether others have the program run something for them: a shell, git's own helpers, `tokenctl`.
    private static func passesOn(_ path: String) -> Bool {
        let name = lastComponent(of: path)
        return shells.contains(name) || name.hasPrefix("git-remote-") || name == "tokenctl"
    }

    private static let shells: Set = [
        "sh", "ash", "bash", "busybox", "csh", "dash", "env", "fish", "ksh", "ksh93", "mksh", "tcsh", "timeout", "zsh",
    ]

    /// Whether it is a service manager, which starts whatever a unit names.
    private static func startsAnything(_ path: String) -> Bool {
        ["init", "systemd"].contains(lastComponent(of: path))
    }

    fileprivate static func lastComponent(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

extension PeerIdentity {
    /// Whether the process is `tokenctl`, which gets tokens for other programs.
    var isTokenctl: Bool {
        guard case .known(let process) = self, process.sandbox == nil else { return false }
        return SeenProcess.isTokenctl(process.executable.path)
    }
}

extension SeenProcess {
    /// Whether a program's file is `tokenctl`, which gets tokens for other programs.
    package static func isTokenctl(_ path: String) -> Bool { CallingProgram.lastComponent(of: path) == "tokenctl" }
}

/// A process that cannot become another one unseen while this is there: its pidfd tells of its end. Where there is none,
/// the start time tells it from the next process of its number.
private struct HeldProcess: ~Copyable {
    let pid: Int32
    private let descriptor: Int32
    private let stat: SandboxText.ProcessStat

    init?(_ pid: Int32) {
        descriptor = tokend_systemd_pidfd_open(pid)
        guard let stat = ProcessFolder(pid).stat else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        self.pid = pid
        self.stat = stat
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The file that it runs; nil where it is another user's, in a sandbox, or over.
    var program: ProcessIdentity.Executable? {
        guard case .known(let process) = ProcessFolder(pid).identity(uid: geteuid()), process.sandbox == nil, isThere
        else { return nil }
        return process.executable
    }

    /// The process that started it; nil where that one has ended.
    borrowing func parent() -> HeldProcess? {
        // A process whose parent ends gets another one at once. So what was its parent before and after was there.
        guard stat.parent > 1, let parent = HeldProcess(stat.parent), isThere else { return nil }
        guard parent.stat.startTime <= stat.startTime else { return nil }
        return parent
    }

    private var isThere: Bool {
        if descriptor >= 0 {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 0) == 0 else { return false }
        }
        return ProcessFolder(pid).stat == stat
    }
}
