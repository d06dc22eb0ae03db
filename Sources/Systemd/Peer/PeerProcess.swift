// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The process that connected to a socket, distinguished from a later one with the same number.
///
/// It holds no descriptor: if the kernel keeps the process with the socket, it is asked each time; otherwise the
/// process's start time, read when it connected, distinguishes it.
package struct PeerProcess: Sendable {
    /// How the process is distinguished from a later one with its number.
    package enum Means: Sendable, CaseIterable {
        /// The socket's pidfd of the process that connected (`SO_PEERPIDFD`, Linux 6.5).
        case peerDescriptor
        /// A pidfd for the number, and the start time (`pidfd_open`, Linux 5.3).
        case openedDescriptor
        /// The start time alone.
        case startTime

        /// The best one of this kernel.
        static let best: Means = {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return .startTime }
            defer { for end in ends { close(end) } }
            if closing(tokend_systemd_peer_pidfd(ends[0])) { return .peerDescriptor }
            return closing(tokend_systemd_pidfd_open(getpid())) ? .openedDescriptor : .startTime
        }()

        private static func closing(_ descriptor: Int32) -> Bool {
            guard descriptor >= 0 else { return false }
            close(descriptor)
            return true
        }
    }

    package let credentials: UnixSocket.Credentials
    private let means: Means
    private let startTime: UInt64?

    /// Create it as soon as the connection exists.
    ///
    /// - Parameter means: set only in tests; nil: the kernel's best.
    package init(_ credentials: UnixSocket.Credentials, means: Means? = nil) {
        self.credentials = credentials
        self.means = means ?? .best
        startTime = self.means == .peerDescriptor ? nil : ProcessFolder(credentials.pid).startTime
    }

    /// Its identity now.
    ///
    /// - Parameters:
    ///   - descriptor: the socket that it connected to.
    ///   - withCaller: whether to look for the program that has called it, too, where it is `tokenctl`.
    package func identity(on descriptor: Int32, withCaller: Bool = false) -> PeerIdentity {
        let pid = credentials.pid
        let pidfd =
            switch means {
            case .peerDescriptor: tokend_systemd_peer_pidfd(descriptor)
            case .openedDescriptor: tokend_systemd_pidfd_open(pid)
            case .startTime: Int32(-1)
            }
        if means != .startTime, pidfd < 0, errno == EMFILE || errno == ENFILE { return .unknown(pid: pid, .exhausted) }
        defer { if pidfd >= 0 { close(pidfd) } }
        guard isSame(pidfd) else { return .unknown(pid: pid, .ended) }
        var read = ProcessFolder(pid).identity(uid: credentials.uid)
        if withCaller, read.isTokenctl, case .known(var process) = read {
            process.caller = CallingProgram(of: pid)
            read = .known(process)
        }
        // The data is the process's own only if it still exists.
        return isSame(pidfd) ? read : .unknown(pid: pid, .ended)
    }

    /// The file of its program; nil if that is not visible, or the process has ended.
    package func program(on descriptor: Int32) -> FileIdentity? {
        guard case .known(let known) = identity(on: descriptor) else { return nil }
        return known.executable.file
    }

    private func isSame(_ pidfd: Int32) -> Bool {
        if means != .startTime {
            var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            // It becomes readable when the process ends.
            guard pidfd >= 0, poll(&watched, 1, 0) == 0 else { return false }
        }
        guard means != .peerDescriptor else { return true }
        guard let startTime else { return false }
        return ProcessFolder(credentials.pid).startTime == startTime
    }
}
