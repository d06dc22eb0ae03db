// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
@preconcurrency import Glibc

/// Starts a detached program: for a daemon that runs by hand, without a service manager.
package enum DetachedProgram {
    /// POSIX_SPAWN_SETSID, which glibc hides behind _GNU_SOURCE.
    private static let newSession: Int32 = 0x80

    /// Starts `arguments` in a new session, without a shell, with our environment, `/dev/null` for stdio, no other
    /// descriptor (all of ours close on exec) and default signal settings. It is not waited for: the caller has called
    /// `SignalMask.ignoreChildren()`.
    ///
    /// - Throws: `ENOENT` if there is no such program in the path.
    package static func start(_ arguments: [String]) throws(SystemdError) {
        guard let name = arguments.first else { throw SystemdError(code: EINVAL, operation: "start nothing") }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGCHLD, SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        let flags = newSession | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        // Unchanged: a value need not be UTF-8.
        let failure = posix_spawnp(&pid, name, &actions, &attributes, &words, environ)
        guard failure == 0 else { throw SystemdError(code: failure, operation: "start \(name)") }
    }
}
