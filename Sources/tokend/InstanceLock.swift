// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Locks a store, so that two daemons never rotate the same grants.
///
/// The lock ends with the process, however that ends.
struct InstanceLock: ~Copyable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: 73 and a sentence if another daemon has it.
    init(path: String) throws(StartFailure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw StartFailure(code: 73, message: "cannot open the lock \(path): \(StartFailure.reason)")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StartFailure(
                code: 73,
                message: "another tokend holds the grants of this secret store already (lock \(path))"
            )
        }
    }

    deinit {
        close(descriptor)
    }
}

/// Why the daemon does not start.
package struct StartFailure: Error {
    /// The process's exit code (sysexits.h).
    package var code: Int32
    /// One sentence for a user.
    package var message: String

    /// The last system call's error message.
    static var reason: String { String(cString: strerror(errno)) }
}
