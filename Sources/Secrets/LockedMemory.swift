// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// Memory for secrets: pages of their own that are locked (mlock(2): never written to swap), left out of core dumps and
/// not handed to children (madvise(2)).
///
/// A lock that the limit does not grant (RLIMIT_MEMLOCK) is done without. What is given back is wiped and used again;
/// pages stay with the process, since locks go by the page and neighbours share them.
enum LockedMemory {
    /// Pieces come in powers of two of bytes, from 64 to one chunk; larger ones get pages of their own.
    private static let smallest = 6
    private static let largest = 16
    private static let free = Mutex(FreeLists())

    /// Zeroed bytes, at least so many; to be given back with the same count.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let power = power(of: count)
        guard power <= largest else { return pages(count) }
        return free.withLock { $0.take(power) }
    }

    /// Wipes the bytes with explicit_bzero(3), which no optimiser removes, and takes them back.
    static func release(_ pointer: UnsafeMutableRawPointer, _ count: Int) {
        explicit_bzero(pointer, count)
        let power = power(of: count)
        guard power <= largest else {
            munmap(pointer, count)
            return
        }
        free.withLock { $0.put(pointer, power) }
    }

    private static func power(of count: Int) -> Int {
        max(smallest, Int.bitWidth - (max(count, 1) - 1).leadingZeroBitCount)
    }

    /// New zeroed pages.
    private static func pages(_ count: Int) -> UnsafeMutableRawPointer {
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // Where there is no memory for a secret there is none for anything else either.
        guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
        mlock(memory, count)
        madvise(memory, count, MADV_DONTDUMP)
        madvise(memory, count, MADV_DONTFORK)
        return memory
    }

    /// Pieces that wait to be used, by their power.
    private struct FreeLists: ~Copyable {
        private var lists: [[UInt]] = Array(repeating: [], count: LockedMemory.largest + 1)

        mutating func take(_ power: Int) -> UnsafeMutableRawPointer {
            if lists[power].isEmpty { refill(power) }
            let address = lists[power].removeLast()
            // Only addresses that were pointers are kept here, and none of those is null.
            guard let pointer = UnsafeMutableRawPointer(bitPattern: address) else { fatalError("no address") }
            return pointer
        }

        mutating func put(_ pointer: UnsafeMutableRawPointer, _ power: Int) {
            lists[power].append(UInt(bitPattern: pointer))
        }

        private mutating func refill(_ power: Int) {
            let chunk = 1 << LockedMemory.largest
            let start = UInt(bitPattern: LockedMemory.pages(chunk))
            let size = UInt(1) << UInt(power)
            for address in stride(from: start, to: start + UInt(chunk), by: Int(size)) { lists[power].append(address) }
        }
    }
}
