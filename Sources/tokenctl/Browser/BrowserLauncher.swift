// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Starts the first browser that works, detached, and notices the ones that fail at once.
package struct BrowserLauncher {
    private var remaining: [BrowserCandidates.Command]
    private var running: pid_t?
    /// The one that ran last ended well: it has handed the page over.
    private var hasOpened = false
    private let environment: [String: String]

    /// Nothing is started yet.
    package init(candidates: [BrowserCandidates.Command], environment: [String: String]) {
        remaining = candidates
        self.environment = environment
    }

    /// How it stands with the browser.
    package enum Progress: Sendable, Equatable {
        /// Started and not ended badly.
        case underWay
        /// Every candidate failed, or there was none.
        case exhausted
    }

    /// Starts the next candidate where none runs, and moves on where the last one ended with a fault. Never waits.
    package mutating func advance() -> Progress {
        if let pid = running {
            var status: Int32 = 0
            guard !hasOpened, waitpid(pid, &status, WNOHANG) == pid else { return .underWay }
            guard status != 0 else {
                hasOpened = true
                return .underWay
            }
            running = nil
        }
        while !remaining.isEmpty {
            running = Self.start(remaining.removeFirst(), environment: environment)
            if running != nil { return .underWay }
        }
        return .exhausted
    }

    /// The path of a program by the `PATH` of the environment; a name with a slash stands for itself.
    package static func find(_ name: String, environment: [String: String]) -> String? {
        if name.contains("/") { return access(name, X_OK) == 0 ? name : nil }
        for folder in (environment["PATH"] ?? "").split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(name)"
            if access(path, X_OK) == 0 { return path }
        }
        return nil
    }

    private static func start(_ command: BrowserCandidates.Command, environment: [String: String]) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // POSIX_SPAWN_SETSID (0x80) is behind _GNU_SOURCE: a session of its own, so that Ctrl-C here leaves it alone.
        posix_spawnattr_setflags(&attributes, Int16(0x80 | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, command.arguments[0], &actions, &attributes, &arguments, &variables)
        return failure == 0 ? pid : nil
    }
}
