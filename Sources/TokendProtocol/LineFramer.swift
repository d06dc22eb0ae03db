// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Splits a stream of bytes into lines: ended by LF or CRLF, blank ones skipped, none longer than the limit.
///
/// After an overlong line the stream may be out of step: all further bytes are dropped, and the connection must be
/// closed.
package struct LineFramer: Sendable {
    /// The result of `next()`.
    package enum Line: Sendable, Equatable {
        /// A line without its newline.
        case line([UInt8])
        /// A line exceeded the limit; no further line follows.
        case overlong
    }

    /// The greatest length of a line in bytes, without its newline.
    package let limit: Int
    /// Whether a line exceeded the limit.
    package private(set) var isOverlong = false

    /// A larger buffer is freed once it is empty: thousands of clients may have sent one long line each.
    private static let keptCapacity = 4096

    private var buffer: [UInt8] = []
    /// Where the next line starts.
    private var start = 0
    /// There is no newline before this.
    private var scanned = 0

    /// A framer at the start of a stream.
    package init(limit: Int = 256 * 1024) {
        self.limit = limit
    }

    /// The number of bytes that are not returned yet.
    package var pendingByteCount: Int {
        buffer.count - start
    }

    /// Appends the next bytes of the stream.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isOverlong else { return }
        if start > 0 {
            buffer.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Appends the next bytes of the stream.
    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// The next complete line; nil if more bytes are needed.
    package mutating func next() -> Line? {
        while !isOverlong {
            guard let end = nextLineEnd() else {
                scanned = buffer.count
                // A final carriage return may belong to the newline.
                let held = pendingByteCount - (buffer.last == UInt8(ascii: "\r") && pendingByteCount > 0 ? 1 : 0)
                return held > limit ? dropAll() : nil
            }
            let hasReturn = end > start && buffer[end - 1] == UInt8(ascii: "\r")
            let line = buffer[start..<(hasReturn ? end - 1 : end)]
            guard line.count <= limit else {
                return dropAll()
            }
            let isBlank = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let found = isBlank ? nil : Line.line(Array(line))
            consume(to: end + 1)
            if let found {
                return found
            }
        }
        return nil
    }

    private func nextLineEnd() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, scanned < bytes.count,
                let found = memchr(base + scanned, Int32(UInt8(ascii: "\n")), bytes.count - scanned)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func consume(to end: Int) {
        start = end
        scanned = end
        guard start == buffer.count else { return }
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
        start = 0
        scanned = 0
    }

    private mutating func dropAll() -> Line {
        isOverlong = true
        buffer = []
        start = 0
        scanned = 0
        return .overlong
    }
}
