// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Wakes the one thread that waits; rings that came before are not lost.
///
/// Unchecked because a raw pointer is not `Sendable`; a semaphore may be used from every thread.
final class Bell: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func ring() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}
