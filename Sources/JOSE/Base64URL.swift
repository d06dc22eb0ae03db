// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// base64url without padding (RFC 7515, section 2).
package enum Base64URL {
    /// The text of the bytes.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 {
            text.append(alphabet[Int(pending << UInt32(6 - bits) & 63)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of the text; nil for padding, white space, other characters, an impossible length, or
    /// unused bits that are not zero, so that only one text stands for the same bytes.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: text.utf8) }

    /// The bytes of a text that is at hand as UTF-8.
    package static func decode(utf8 text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            pending = pending << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        guard bits < 6, pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }

    /// The bytes of a text as others write it: in this alphabet or in that of plain base64 (RFC 4648, section 4), with or
    /// without padding, unused bits whatever they are. For what is public or signed as text, so that it does not matter
    /// that several texts stand for the same bytes.
    package static func decodeLeniently(utf8 text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        var characters = text.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard let last = characters.last.flatMap(value) else { return characters.isEmpty ? [] : nil }
        let unused: UInt32 =
            switch characters.count % 4 {
            case 2: 0b1111
            case 3: 0b11
            default: 0
            }
        characters[characters.count - 1] = alphabet[Int(last & ~unused)]
        return decode(utf8: characters)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
