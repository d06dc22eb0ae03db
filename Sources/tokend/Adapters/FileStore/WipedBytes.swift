// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

extension [UInt8] {
    /// Overwrites the bytes, unless another array shares them.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let address = buffer.baseAddress { explicit_bzero(address, buffer.count) }
        }
    }
}
