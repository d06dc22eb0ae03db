// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Members
import StrictJSON

/// Reads the plainest JSON: objects, strings of printable ASCII without escapes, and whole numbers. False or nil: it is
/// something else, and the scan's position is then meaningless.
struct PlainScan {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Whether only space is left.
    var isAtEnd: Bool {
        var rest = self
        rest.skipSpace()
        return rest.position == bytes.count
    }

    /// The next byte, or 0 at the end.
    private var next: UInt8 {
        position < bytes.count ? bytes[position] : 0
    }

    private mutating func skipSpace() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
    }

    /// Skips this byte and the space around it, if it is next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        if next <= UInt8(ascii: " ") { skipSpace() }
        guard next == byte else { return false }
        position += 1
        if next <= UInt8(ascii: " ") { skipSpace() }
        return true
    }

    /// Reads an object; `member` gets each name, reads its value, and returns whether it could.
    mutating func readObject(_ member: (UnsafeRawBufferPointer, inout PlainScan) -> Bool) -> Bool {
        guard skip(UInt8(ascii: "{")) else { return false }
        if skip(UInt8(ascii: "}")) { return true }
        repeat {
            guard let name = readQuoted(), skip(UInt8(ascii: ":")), member(name, &self) else { return false }
        } while skip(UInt8(ascii: ","))
        return skip(UInt8(ascii: "}"))
    }

    /// Moves to the quote after the next one; returns the bytes between them, unchecked: only for comparison with a
    /// word.
    mutating func readQuoted() -> UnsafeRawBufferPointer? {
        guard next == UInt8(ascii: "\""), let start = bytes.baseAddress.map({ $0 + position + 1 }),
            let end = memchr(start, Int32(UInt8(ascii: "\"")), bytes.count - position - 1)
        else { return nil }
        let text = UnsafeRawBufferPointer(start: start, count: UnsafeRawPointer(end) - start)
        position += text.count + 2
        return text
    }

    /// Reads a string.
    mutating func readString() -> String? {
        guard let text = readQuoted(), JSONWriter.arePlain(text) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a string or a whole number; its JSON text.
    mutating func readStringOrInteger() -> UnsafeRawBufferPointer? {
        let start = position
        if let text = readQuoted() {
            guard JSONWriter.arePlain(text) else { return nil }
        } else if readInteger() == nil {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    /// Reads a number of seconds for a parameter.
    mutating func readSeconds() -> Int64? {
        guard let number = readInteger(), number <= JSONForm<Int64>.longestSeconds else { return nil }
        return number
    }

    /// Reads a whole number of up to 18 digits without a sign.
    private mutating func readInteger() -> Int64? {
        let start = position
        var value: Int64 = 0
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next), position - start < 18 {
            value = value * 10 + Int64(next - UInt8(ascii: "0"))
            position += 1
        }
        let isOdd = position - start > 1 && bytes[start] == UInt8(ascii: "0")
        return position == start || isOdd ? nil : value
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of the word.
    func reads(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, word.utf8Start, count) == 0
    }
}
