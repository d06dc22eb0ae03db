// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

@testable import Secrets

/// Where secrets lie while they are held.
@Suite struct LockedMemoryTests {
    @Test(arguments: [1, 40, 64, 65, 4096, 70_000]) func `a held secret is locked, and in no dump`(count: Int) throws {
        let secret = Secret(bytes: [UInt8](repeating: 0x5A, count: count))
        let address = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let flags = try #require(Self.flags(at: address))
        // locked; left out of dumps; not copied into children (proc(5), VmFlags).
        let wanted = Self.isSanitized ? ["dd", "dc"] : ["lo", "dd", "dc"]
        for flag in wanted { #expect(flags.contains(Substring(flag)), "\(flags)") }
        #expect(secret.count == count)
    }

    @Test func `what is given back is wiped, and nothing of it is found again`() {
        for count in [1, 64, 100, 3000] {
            let first = LockedMemory.allocate(count)
            first.initializeMemory(as: UInt8.self, repeating: 0xA5, count: count)
            LockedMemory.release(first, count)
            let next = LockedMemory.allocate(count)
            defer { LockedMemory.release(next, count) }
            #expect(UnsafeRawBufferPointer(start: next, count: count).allSatisfy { $0 == 0 })
        }
    }

    @Test func `pieces do not overlap`() {
        let sizes = (0..<2000).map { ($0 * 37) % 700 + 1 }
        let pieces = sizes.map { size in
            let piece = LockedMemory.allocate(size)
            piece.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: size), count: size)
            return (piece, size)
        }
        for (piece, size) in pieces {
            let bytes = UnsafeRawBufferPointer(start: piece, count: size)
            #expect(bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: size) })
            LockedMemory.release(piece, size)
        }
    }

    /// Whether this is a build with a sanitizer, whose own mlock(2) does nothing.
    private static var isSanitized: Bool {
        dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }

    /// The flags of the mapping that holds an address.
    private static func flags(at address: UInt) -> [Substring]? {
        guard let file = fopen("/proc/self/smaps", "r") else { return nil }
        defer { fclose(file) }
        var isInside = false
        var buffer = [CChar](repeating: 0, count: 4096)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let range = line.split(separator: " ").first?.split(separator: "-").map { UInt($0, radix: 16) } ?? []
            if range.count == 2, let start = range[0], let end = range[1] {
                isInside = start <= address && address < end
            }
            if isInside, line.hasPrefix("VmFlags:") {
                return line.split { $0 == " " || $0 == "\n" }.dropFirst().map(\.self)
            }
        }
        return nil
    }
}
