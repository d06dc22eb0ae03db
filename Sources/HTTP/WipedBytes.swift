// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Secrets

/// Bytes at a fixed address for a C library to read from, wiped at the end.
final class WipedBytes {
    /// Where they begin; never nil, so that an empty body is a body.
    var start: UnsafeRawPointer { UnsafeRawPointer(base) }

    /// How many there are.
    let count: Int

    private let base: UnsafeMutableRawPointer

    /// A copy of the secret's bytes; none without one.
    init(_ secret: Secret?) {
        count = secret?.count ?? 0
        base = .allocate(byteCount: count + 1, alignment: 1)
        let buffer = UnsafeMutableRawBufferPointer(start: base, count: count)
        secret?.withUnsafeBytes { bytes in buffer.copyMemory(from: bytes) }
    }

    deinit {
        explicit_bzero(base, count)
        base.deallocate()
    }
}
