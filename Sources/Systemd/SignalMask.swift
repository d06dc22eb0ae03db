// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// What a process does with signals before its first thread.
package enum SignalMask {
    /// Blocks `signals` for this thread and all that it starts, so that `EventLoop.addSignal` can receive them.
    /// First thing in `main`: a thread that has them unblocked would take them with their default action.
    ///
    /// Programs that are started later inherit the mask; whoever starts one clears it.
    package static func blockBeforeThreads(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        precondition(result == 0, "Signals could not be blocked: \(result)")
    }

    /// Lets a write to a closed connection fail with `EPIPE` instead of ending the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets children that end be gone at once; their status is not needed.
    package static func ignoreChildren() {
        signal(SIGCHLD, SIG_IGN)
    }

    /// Gives the crash signals back their defaults.
    ///
    /// Swift's backtracer catches them (also SIGABRT, which is systemd's watchdog), writes register and memory
    /// bytes where a token may lie, and lets the process live on: a crash is to be an end.
    package static func defaultCrashSignals() {
        for crash in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTRAP] {
            signal(crash, SIG_DFL)
        }
    }
}
