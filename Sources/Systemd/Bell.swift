// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Wakes the worker thread of blocking work (the keyring's, the file store's); earlier signals are not lost.
///
/// Unchecked because a raw pointer is not `Sendable`; a semaphore may be used from every thread.
package final class Bell: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets one `wait` return.
    package func ring() {
        sem_post(semaphore)
    }

    /// Blocks the calling thread until a signal; never call it on the loop's thread.
    package func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}
