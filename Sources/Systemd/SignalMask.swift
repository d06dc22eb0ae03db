// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A process's signal settings, to be made before its first thread.
package enum SignalMask {
    /// Blocks `signals` for this thread and all threads that it starts, so that `EventLoop.addSignal` can receive them.
    /// First call in `main`: a thread with a signal unblocked would take it with its default action.
    ///
    /// Programs that are started later inherit the mask; it must be cleared when starting one.
    package static func blockBeforeThreads(_ signals: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        let result = pthread_sigmask(SIG_BLOCK, &set, nil)
        precondition(result == 0, "Signals could not be blocked: \(result)")
    }

    /// Makes a write to a closed connection fail with `EPIPE` instead of ending the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets ended children disappear at once; their status is not needed.
    package static func ignoreChildren() {
        signal(SIGCHLD, SIG_IGN)
    }

    /// Restores the default actions of the crash signals.
    ///
    /// Swift's backtracer catches them (also SIGABRT, which is systemd's watchdog), writes register and memory bytes
    /// that may contain a token, and lets the process live on: a crash must end it.
    package static func defaultCrashSignals() {
        for crash in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTRAP] {
            signal(crash, SIG_DFL)
        }
    }
}
