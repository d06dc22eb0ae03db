// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// Ctrl-C and its kind as something to wait for: the descriptor becomes readable, with the signal's number as its byte.
package struct Interruption: Sendable {
    /// Watched while waiting; -1 watches nothing.
    package let descriptor: Int32

    /// Watches a descriptor of the caller's.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Takes SIGINT, SIGTERM and SIGHUP over for the rest of the program: they no longer end it, but are told here.
    package static func takeOver() -> Interruption {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return Interruption(descriptor: -1) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalPipe.store(ends[1], ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                // Only what a signal handler may do; errno is given back as it was.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: signal)
                _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
                errno = before
            }
            sigaction(number, &action, nil)
        }
        return Interruption(descriptor: ends[0])
    }

    /// The signal that came, if one did; does not wait.
    package func take() -> Int32? {
        wait(for: .zero)
    }

    /// Waits so long, or until a signal comes; the result is that signal.
    package func wait(for duration: Duration) -> Int32? {
        let milliseconds = Int32(clamping: min(max(duration.components.seconds, 0), Int64(Int32.max)) * 1000)
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // EINTR: the handler has written its byte by then.
        var count = poll(&waiting, 1, milliseconds)
        if count < 0 { count = poll(&waiting, 1, 0) }
        guard count == 1 else { return nil }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) == 1 ? Int32(byte) : nil
    }
}

/// The end of the pipe that the signal handler writes to.
private let signalPipe = Atomic<Int32>(-1)
