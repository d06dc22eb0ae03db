// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc

/// The kernel's random generator.
final class KernelEntropy: Entropy {
    func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var filled = 0
            while filled < count {
                let got = getrandom(buffer.baseAddress?.advanced(by: filled), count - filled, 0)
                if got < 0 {
                    precondition(errno == EINTR, "The kernel's random generator does not answer.")
                    continue
                }
                filled += got
            }
            initialized = count
        }
    }
}
