// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A gate that holds threads until it is opened; once open it stays open.
///
/// It is a pipe whose writing end is closed on opening, so that a thread can wait for the gate and for its
/// connection's end at the same time.
package final class Gate: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// What ended a wait.
    package enum Outcome: Sendable { case opened, connectionEnded, timedOut }

    /// A closed gate; traps where the process has no descriptor left.
    package init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "pipe: error \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Lets every thread through that waits or will wait.
    package func open() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    /// Blocks the calling thread until the gate opens, the peer of `connection` hangs up, or `seconds` are over.
    package func wait(connection: Int32 = -1, seconds: Int32 = 60) -> Outcome {
        var watched = [
            pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection, events: Int16(POLLHUP | 0x2000 /* POLLRDHUP */), revents: 0),
        ]
        while true {
            let count = poll(&watched, nfds_t(watched.count), seconds * 1000)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return .timedOut }
            return watched[0].revents != 0 ? .opened : .connectionEnded
        }
    }
}
