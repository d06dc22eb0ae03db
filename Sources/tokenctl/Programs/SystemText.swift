// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// An argument or a variable as the system has it: bytes, which need not be UTF-8, and which go on to another program as
/// they came.
package struct SystemText: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Without the zero that ends it.
    package let bytes: [UInt8]

    /// These bytes, of which none is zero.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A text of our own.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// A text of our own.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// What stands at `pointer`, up to its zero.
    init(cString pointer: UnsafePointer<CChar>) {
        var end = pointer
        while end.pointee != 0 { end += 1 }
        bytes = UnsafeBufferPointer(start: pointer, count: end - pointer).map { UInt8(bitPattern: $0) }
    }

    /// Several texts of our own.
    package static func list(_ texts: [String]) -> [SystemText] {
        texts.map { SystemText($0) }
    }

    /// As C has it, in memory that is freed by free(3).
    func duplicated() -> UnsafeMutablePointer<CChar>? {
        guard let copy = malloc(bytes.count + 1) else { return nil }
        bytes.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
        }
        copy.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return copy.assumingMemoryBound(to: CChar.self)
    }

    /// For people: what is no UTF-8 is replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Byte for byte; nil where it is no UTF-8.
    package var exactText: String? { String(validating: bytes, as: UTF8.self) }
}
