// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// JSON of a provider's or an application's server, parsed as leniently as is safe: its form must not cost a grant.
///
/// The socket and our files stay strict. A string with a replaced byte is not a token: read secrets with
/// `JSONValue.intactText`.
package enum ProviderJSON {
    /// Reads the value; accepts a byte order mark and UTF-16.
    package static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try JSONReader.lenient.read(utf8(bytes))
    }

    /// Whether the text starts like an object, whatever its `Content-Type` says.
    static func looksLikeObject(_ body: [UInt8]) -> Bool {
        let text = utf8(body)
        let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return text[start...].first { !$0.isJSONSpace } == UInt8(ascii: "{")
    }

    /// The refresh token in an answer that cannot be parsed as a whole: it may be the only valid one.
    ///
    /// The last string of visible ASCII after that name; nil if there is none, or its quote is not closed.
    package static func refreshToken(in body: [UInt8]) -> Secret? {
        let text = utf8(body)
        let name = Array("refresh_token".utf8)
        var found: Secret?
        var start = 0
        while start + name.count < text.count {
            defer { start += 1 }
            let quote = text[start]
            let end = start + 1 + name.count
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"), end < text.count, text[end] == quote,
                text[(start + 1)..<end].elementsEqual(name)
            else { continue }
            if let token = string(after: end + 1, in: text) { found = token }
        }
        return found
    }

    /// The string after a colon.
    private static func string(after name: Int, in text: [UInt8]) -> Secret? {
        let colon = text[name...].drop { $0.isJSONSpace }
        guard colon.first == UInt8(ascii: ":") else { return nil }
        let value = colon.dropFirst().drop { $0.isJSONSpace }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        var end = value.startIndex + 1
        while end < text.count, text[end] != quote { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < text.count else { return nil }
        let token = try? JSONReader.lenient.read(Array(text[value.startIndex...end])).intactText
        guard let token, !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return Secret(token)
    }

    /// UTF-8, converted from UTF-16 if a byte order mark or a zero byte beside the first character indicates that.
    private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 2 else { return bytes }
        let isBigEndian: Bool
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF), (0, 1...): isBigEndian = true
        case (0xFF, 0xFE), (1..., 0): isBigEndian = false
        default: return bytes
        }
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

extension JSONValue {
    /// The text of a string without replaced bytes: nil for any other value.
    package var intactText: String? {
        string.flatMap { $0.unicodeScalars.contains("\u{FFFD}") ? nil : $0 }
    }
}

extension JSONError {
    /// Why and where an answer cannot be parsed, for a log, without its content.
    var place: String { "\(message) (at byte \(offset))" }
}

extension UInt8 {
    /// White space of RFC 8259, section 2.
    fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
