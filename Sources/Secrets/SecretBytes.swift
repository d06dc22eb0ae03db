// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The one copy of a secret's bytes: its own allocation, never changed after `init`, wiped with
/// explicit_bzero(3) (which no optimiser removes) before it is freed.
///
/// Unchecked because a raw pointer is not `Sendable`; sound because nobody writes to it after `init`.
final class SecretBytes: @unchecked Sendable {
    /// The bytes in use; valid as long as this object is.
    let used: UnsafeRawBufferPointer
    private let allocation: UnsafeMutableRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
        allocation = .allocate(byteCount: source.count, alignment: 1)
        allocation.copyMemory(from: source)
        used = UnsafeRawBufferPointer(allocation)
    }

    init<Failure: Error>(
        capacity: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        let allocation = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        allocation.initializeMemory(as: UInt8.self, repeating: 0)
        do {
            let count = try fill(allocation)
            precondition(count >= 0 && count <= capacity, "a secret was filled beyond its capacity")
            used = UnsafeRawBufferPointer(rebasing: allocation[..<count])
            self.allocation = allocation
        } catch {
            Self.wipe(allocation)
            throw error
        }
    }

    deinit {
        Self.wipe(allocation)
    }

    private static func wipe(_ allocation: UnsafeMutableRawBufferPointer) {
        if let address = allocation.baseAddress {
            explicit_bzero(address, allocation.count)
        }
        allocation.deallocate()
    }
}
