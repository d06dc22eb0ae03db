// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
import StrictJSON

/// Names and values in order, as in `application/x-www-form-urlencoded` (RFC 6749, appendix B): the body of a token
/// request, the query of a redirect.
///
/// Values are held as secrets, so that a token can go from its `Secret` into a request's body without ever being a
/// `String`. The description shows names only.
package struct FormParameters: Sendable, Hashable {
    /// One name with its value.
    package struct Element: Sendable, Hashable {
        /// The name, decoded.
        package let name: String

        /// The value as held.
        package let secret: Secret

        /// The value as text.
        package var value: String { secret.reveal() }
    }

    /// Each parameter takes locked memory of its own, and an answer has room for half a million.
    private static let mostFromServers = 256
    private var elements: [Element] = []

    /// No parameters.
    package init() {}

    /// The first value of that name; names are compared byte for byte.
    package subscript(name: String) -> String? { elements.first { $0.name == name }?.value }

    /// The first value of that name, kept as a secret.
    package func secret(_ name: String) -> Secret? { elements.first { $0.name == name }?.secret }

    /// Every value of that name: more than one means a doubled parameter.
    package func values(of name: String) -> [String] { elements.filter { $0.name == name }.map(\.value) }

    /// Adds a parameter at the end.
    package mutating func append(_ name: String, _ value: String) {
        append(name, Secret(value))
    }

    /// Adds a parameter at the end with a secret value.
    package mutating func append(_ name: String, _ value: Secret) {
        elements.append(Element(name: name, secret: value))
    }

    /// Adds a parameter at the end if the value is present and not empty: an empty one counts as not sent (RFC 6749,
    /// section 3.1).
    package mutating func append(_ name: String, ifPresent value: String?) {
        if let value, !value.isEmpty {
            append(name, value)
        }
    }

    /// The encoded bytes, written directly into the secret.
    package func encoded() -> Secret {
        let capacity = elements.reduce(0) { $0 + 3 * ($1.name.utf8.count + $1.secret.count) + 2 }
        return Secret(capacity: capacity) { buffer in
            var count = 0
            encode { byte in
                buffer[count] = byte
                count += 1
            }
            return count
        }
    }

    /// The encoded text, for a URL's query.
    package func encodedText() -> String {
        var bytes: [UInt8] = []
        encode { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One value in the same encoding, as HTTP Basic requires for client identifier and secret (RFC 6749, section
    /// 2.3.1).
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        encode(text.utf8) { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func encode(into write: (UInt8) -> Void) {
        for (index, element) in elements.enumerated() {
            if index > 0 {
                write(UInt8(ascii: "&"))
            }
            Self.encode(element.name.utf8, into: write)
            write(UInt8(ascii: "="))
            element.secret.withUnsafeBytes { value in Self.encode(value, into: write) }
        }
    }

    /// Letters, digits and `*-._` stay, a space becomes `+`, everything else `%XX` of its UTF-8 bytes.
    private static func encode(_ text: some Sequence<UInt8>, into write: (UInt8) -> Void) {
        let digits: StaticString = "0123456789ABCDEF"
        for byte in text {
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                write(byte)
            case UInt8(ascii: " "):
                write(UInt8(ascii: "+"))
            case _ where byte.isASCIIAlphanumeric:
                write(byte)
            default:
                write(UInt8(ascii: "%"))
                write(digits.utf8Start[Int(byte >> 4)])
                write(digits.utf8Start[Int(byte & 15)])
            }
        }
    }
}

extension FormParameters {
    /// Reads a form; nil if a `%` is not followed by two hexadecimal digits, a value is not UTF-8, or more combining marks
    /// follow one another than `MarkRun` allows.
    ///
    /// Empty pieces (`a=1&&b=2`) are skipped; a piece without `=` is a name with an empty value.
    package static func decode(_ bytes: [UInt8]) -> FormParameters? {
        var form = FormParameters()
        for piece in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            guard let name = decodePiece(piece[..<equals]),
                let value = decodePiece(piece[equals...].dropFirst())
            else { return nil }
            form.append(String(decoding: name, as: UTF8.self), Secret(bytes: value))
        }
        return form
    }

    /// Reads a form from a server's answer: an invalid `%` is kept, and invalid UTF-8 becomes U+FFFD. Only the first 256
    /// parameters are read.
    package static func decodeLeniently(_ bytes: [UInt8]) -> FormParameters {
        var form = FormParameters()
        for piece in bytes.split(separator: UInt8(ascii: "&"), maxSplits: mostFromServers).prefix(mostFromServers) {
            let equals = piece.firstIndex(of: UInt8(ascii: "=")) ?? piece.endIndex
            form.append(leniently(piece[..<equals]), leniently(piece[equals...].dropFirst()))
        }
        return form
    }

    private static func leniently(_ piece: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        var rest = piece
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).withShortMarkRuns
    }

    /// Reads a form, such as a URL's query.
    package static func decode(_ text: String) -> FormParameters? { decode(Array(text.utf8)) }

    private static func decodePiece(_ piece: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        var rest = piece
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue
                else { return nil }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)?.hasShortMarkRuns == true ? bytes : nil
    }
}

extension FormParameters: Sequence {
    /// Walks the parameters in their order.
    package func makeIterator() -> Array<Element>.Iterator { elements.makeIterator() }

    /// Whether there are none.
    package var isEmpty: Bool { elements.isEmpty }
}

extension FormParameters: ExpressibleByDictionaryLiteral {
    /// The parameters in the order in which they are written.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.elements = elements.map { Element(name: $0.0, secret: Secret($0.1)) }
    }
}

extension FormParameters: CustomStringConvertible, CustomReflectable {
    /// The names; values may be credentials.
    package var description: String { "[" + elements.map(\.name).joined(separator: ", ") + "]" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
