// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// `application/x-www-form-urlencoded` parameters, read and written by code of the tests' own, so that a slip in
/// the project's encoder is not undone by the same slip in its decoder.
package struct WireParameters: Sendable {
    package private(set) var pairs: [(name: String, value: String)]
    /// Whether an escape was cut short or not hexadecimal, or the text was not UTF-8 after decoding.
    package private(set) var isMalformed = false

    /// Parameters in the order given.
    package init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// Decodes `text`; pairs without a `=` count as a name with an empty value.
    package init(_ text: String) {
        pairs = []
        for piece in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decode(halves[0])
            let value = halves.count > 1 ? decode(halves[1]) : ""
            pairs.append((name, value))
        }
    }

    /// The first value of `name`; setting replaces every pair of that name, nil removes them.
    package subscript(name: String) -> String? {
        get { pairs.first { $0.name == name }?.value }
        set {
            let place = pairs.firstIndex { $0.name == name } ?? pairs.endIndex
            pairs.removeAll { $0.name == name }
            if let newValue { pairs.insert((name, newValue), at: min(place, pairs.endIndex)) }
        }
    }

    /// All values of `name`, in their order.
    package func values(of name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Adds a pair at the end, also where the name is there already.
    package mutating func append(_ name: String, _ value: String) { pairs.append((name, value)) }

    /// Names that occur more than once, each told once.
    package var doubledNames: [String] {
        var seen: Set<String> = []
        var doubled: [String] = []
        for pair in pairs where !seen.insert(pair.name).inserted && !doubled.contains(pair.name) {
            doubled.append(pair.name)
        }
        return doubled
    }

    /// Names that came with an empty value.
    package var emptyNames: [String] { pairs.filter { $0.value.isEmpty }.map(\.name) }

    /// The parameters encoded, a space as `%20` (understood in a query and in a form alike).
    package var encoded: String {
        pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
    }

    /// `text` with everything but RFC 3986's unreserved characters escaped.
    package static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0" + digits : "%" + digits
            }
        }
        return encoded
    }

    private mutating func decode(_ bytes: Substring.UTF8View.SubSequence) -> String {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                isMalformed = true
                decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            isMalformed = true
            return String(decoding: decoded, as: UTF8.self)
        }
        return text
    }
}
