// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker

/// The kernel's random generator.
final class KernelEntropy: Entropy {
    func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
