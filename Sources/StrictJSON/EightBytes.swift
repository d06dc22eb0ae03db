// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Eight bytes of a string looked at in one step: tokens are long and nearly always plain.
struct EightBytes {
    private let word: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes from this offset on, or nil where the buffer has fewer.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, bytes.count >= 8, offset <= bytes.count - 8 else { return nil }
        word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    /// Whether JSON writes all of them in a string as they are: ASCII, and neither a control character (DEL counts as
    /// one) nor a double quote nor a backslash.
    @inline(__always)
    var arePlain: Bool {
        let controls = (word &- 0x20 * Self.ones) & ~word
        let found = word | controls | zeroes(0x22) | zeroes(0x5C) | zeroes(0x7F)
        return found & Self.highBits == 0
    }

    /// The high bit is set in the bytes that have this value, and, where there is one, perhaps in others after it.
    @inline(__always)
    private func zeroes(_ value: UInt64) -> UInt64 {
        let difference = word ^ (value * Self.ones)
        return (difference &- Self.ones) & ~difference
    }
}
