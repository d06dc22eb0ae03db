// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Writes values as JSON of RFC 8259: valid UTF-8, in the order of the members.
///
/// Control characters (C0, DEL and C1) are escaped, so that no text from outside can steer a terminal; the numbers
/// that only JSON5 has, `Infinity` and `NaN`, are written as `null`.
package enum JSONWriter {
    /// The value on one line without spaces or a line end, as UTF-8.
    package static func bytes(_ value: JSONValue) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        append(value, to: &output)
        return output
    }

    /// The value for people to read: two spaces a level, one member a line, no line end after it.
    package static func pretty(_ value: JSONValue) -> String {
        var output: [UInt8] = []
        appendPretty(value, indent: 0, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// A name from outside for a sentence to a user: in quotes, control characters escaped, cut at 60 characters.
    package static func quoted(_ text: String) -> String {
        var output: [UInt8] = []
        appendString(String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))), to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the value on one line.
    package static func append(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .object(let object):
            append(object, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 {
                    output.append(UInt8(ascii: ","))
                }
                append(element, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        default:
            appendScalar(value, to: &output)
        }
    }

    /// Appends the object on one line.
    package static func append(_ object: JSONObject, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        for member in object {
            if !isFirst {
                output.append(UInt8(ascii: ","))
            }
            isFirst = false
            appendString(member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            append(member.value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Appends the text as a JSON string, quotes included.
    package static func appendString(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { appendString(utf8: UnsafeRawBufferPointer($0), to: &output) }
    }

    /// Appends UTF-8 bytes as a JSON string, quotes included; what is not UTF-8 in them becomes U+FFFD.
    package static func appendString(utf8 bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if arePlain(bytes) {
            output.append(contentsOf: bytes)
        } else {
            appendEscaped(String(decoding: bytes, as: UTF8.self), to: &output)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether the bytes, as a string, are written, and may be read, as they are: printable ASCII without quotes and
    /// backslashes.
    package static func arePlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while let eight = EightBytes(bytes, at: offset) {
            guard eight.arePlain else { return false }
            offset += 8
        }
        return bytes.dropFirst(offset).allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
    }

    private static func appendEscaped(_ text: String, to output: inout [UInt8]) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: scalar.value)]
            case "\n": output += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case "\r": output += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            case "\t": output += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case "\0"..<" ", "\u{7F}"..<"\u{A0}":
                let digits = String(scalar.value, radix: 16)
                output += Array("\\u".utf8) + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                output += Array(digits.utf8)
            default:
                output.append(contentsOf: scalar.utf8)
            }
        }
    }

    private static func appendScalar(_ value: JSONValue, to output: inout [UInt8]) {
        switch value {
        case .bool(true): output.append(contentsOf: "true".utf8)
        case .bool(false): output.append(contentsOf: "false".utf8)
        case .number(let number) where number.isFinite: output.append(contentsOf: number.text.utf8)
        case .string(let text): appendString(text, to: &output)
        default: output.append(contentsOf: "null".utf8)
        }
    }

    private static func appendPretty(_ value: JSONValue, indent: Int, to output: inout [UInt8]) {
        switch value {
        case .object(let object) where !object.isEmpty:
            appendLines(Array(object), brackets: ("{", "}"), indent: indent, to: &output) { member, output in
                appendString(member.name, to: &output)
                output.append(contentsOf: ": ".utf8)
                appendPretty(member.value, indent: indent + 1, to: &output)
            }
        case .array(let elements) where !elements.isEmpty:
            appendLines(elements, brackets: ("[", "]"), indent: indent, to: &output) { element, output in
                appendPretty(element, indent: indent + 1, to: &output)
            }
        default:
            append(value, to: &output)
        }
    }

    private static func appendLines<Element>(
        _ elements: [Element],
        brackets: (String, String),
        indent: Int,
        to output: inout [UInt8],
        line: (Element, inout [UInt8]) -> Void
    ) {
        output.append(contentsOf: brackets.0.utf8)
        for (index, element) in elements.enumerated() {
            output.append(contentsOf: (index > 0 ? ",\n" : "\n").utf8)
            output.append(contentsOf: repeatElement(0x20, count: 2 * (indent + 1)))
            line(element, &output)
        }
        output.append(contentsOf: ("\n" + String(repeating: " ", count: 2 * indent) + brackets.1).utf8)
    }
}
