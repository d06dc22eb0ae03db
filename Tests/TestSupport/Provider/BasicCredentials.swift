// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The `Authorization: Basic` header, read by code of the tests' own (RFC 6749, section 2.3.1: both halves are
/// form-encoded before they are joined).
struct BasicCredentials {
    let name: String?
    let password: String?

    init(header: String) {
        guard header.lowercased().hasPrefix("basic "), let bytes = Self.decode(String(header.dropFirst(6))) else {
            (name, password) = (nil, nil)
            return
        }
        let halves = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let texts = halves.map { half in
            WireParameters("x=" + String(decoding: half, as: UTF8.self))["x"]
        }
        name = texts.first ?? nil
        password = texts.count > 1 ? texts[1] : nil
    }

    private static func decode(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
