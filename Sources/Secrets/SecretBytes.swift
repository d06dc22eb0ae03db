// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The one copy of a secret's bytes: in memory that is locked and left out of dumps, never changed after `init`, wiped
/// before it is used again.
///
/// Unchecked because a raw pointer is not `Sendable`; sound because it is not written to after `init`.
final class SecretBytes: @unchecked Sendable {
    /// The bytes in use; valid as long as this object is.
    let used: UnsafeRawBufferPointer
    private let allocation: UnsafeMutableRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
        allocation = Self.allocate(source.count)
        allocation.copyMemory(from: source)
        used = UnsafeRawBufferPointer(allocation)
    }

    init<Failure: Error>(
        capacity: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        let allocation = Self.allocate(capacity)
        do {
            let count = try fill(allocation)
            precondition(count >= 0 && count <= capacity, "a secret was filled beyond its capacity")
            used = UnsafeRawBufferPointer(rebasing: allocation[..<count])
            self.allocation = allocation
        } catch {
            Self.release(allocation)
            throw error
        }
    }

    deinit {
        Self.release(allocation)
    }

    private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: LockedMemory.allocate(count), count: count)
    }

    private static func release(_ allocation: UnsafeMutableRawBufferPointer) {
        guard let address = allocation.baseAddress else { return }
        LockedMemory.release(address, allocation.count)
    }
}
