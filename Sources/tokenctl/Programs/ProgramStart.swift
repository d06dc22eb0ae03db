// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux

/// How a program is started: with an argument vector, never by a shell, with no descriptor but those that are named.
struct ProgramStart {
    /// The program's path first.
    let arguments: [SystemText]
    /// All of its variables.
    let environment: ProgramVariables
    /// What it gets as 0, 1, 2, …: our descriptors, which stay ours; nil is `/dev/null`.
    var descriptors: [Int32?] = [nil, nil, nil]
    /// Whether it gets a session of its own, so that Ctrl-C here leaves it alone.
    var isDetached = false

    /// Its process ID, to be waited for; nil where it cannot be started.
    func callAsFunction() -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        let words = CStrings(arguments)
        let variables = CStrings(environment.entries)
        var pid: pid_t = 0
        guard let path = words.pointers[0] else { return nil }
        let failure = CoreDumps.permitting {
            posix_spawn(&pid, path, &actions, &attributes, words.pointers, variables.pointers)
        }
        return failure == 0 ? pid : nil
    }

    private func prepare(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // POSIX_SPAWN_SETSID (0x80) is behind _GNU_SOURCE.
        let session: Int32 = isDetached ? 0x80 : 0
        posix_spawnattr_setflags(&attributes, Int16(session | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }
}

/// Texts as C takes lists of them: pointers, ended by a null pointer.
final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [SystemText]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = text.duplicated() }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count {
            // It may have been a token.
            pointers[index].map { explicit_bzero($0, strlen($0)) }
            free(pointers[index])
        }
        pointers.deallocate()
    }
}
