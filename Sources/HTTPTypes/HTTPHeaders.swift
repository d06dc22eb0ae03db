// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// The fields of a message in their order, with names compared without case (RFC 9110, section 5).
///
/// A value never contains CR, LF or NUL, so that no foreign text can start another field: each of them becomes a space
/// (RFC 9110, section 5.5). Too long runs of combining marks are cut (`MarkRun`). A field whose name is not a token is
/// dropped; check configured names with `isFieldName` first. The description shows names only.
package struct HTTPHeaders: Sendable {
    /// One field.
    package typealias Element = (name: String, value: String)

    private var fields: [Element] = []

    /// No fields.
    package init() {}

    /// The first field of that name. Setting it replaces every field of that name; nil removes them.
    package subscript(name: String) -> String? {
        get { fields.first { Self.sameName($0.name, name) }?.value }
        set {
            fields.removeAll { Self.sameName($0.name, name) }
            if let newValue {
                append(name, newValue)
            }
        }
    }

    /// The values of every field of that name, in order.
    package func values(of name: String) -> [String] {
        fields.filter { Self.sameName($0.name, name) }.map(\.value)
    }

    /// Adds a field and keeps those of the same name.
    package mutating func append(_ name: String, _ value: String) {
        guard Self.isFieldName(name) else { return }
        fields.append((name, Self.fieldValue(value)))
    }

    /// Whether the text is a token, the only valid form of a field's name (RFC 9110, section 5.6.2).
    package static func isFieldName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter)
    }

    /// Whether two field names are equal without case (ASCII).
    static func sameName(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    private static func fieldValue(_ text: String) -> String {
        let needsCare = text.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0x00 }
        let bytes = text.utf8.map { $0 == 0x0D || $0 == 0x0A || $0 == 0x00 ? UInt8(ascii: " ") : $0 }
        return (needsCare ? String(decoding: bytes, as: UTF8.self) : text).withShortMarkRuns.trimmingSpaces()
    }
}

extension HTTPHeaders: Equatable {
    /// Equal with the same fields in the same order; names are compared without case.
    package static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.elementsEqual(right.fields) { sameName($0.name, $1.name) && $0.value == $1.value }
    }
}

extension HTTPHeaders: Sequence {
    /// Walks the fields in their order.
    package func makeIterator() -> Array<Element>.Iterator { fields.makeIterator() }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields in the order in which they are written.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements {
            append(name, value)
        }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    /// The names; values may be credentials.
    package var description: String { "[" + fields.map(\.name).joined(separator: ", ") + "]" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
