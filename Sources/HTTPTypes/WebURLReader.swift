// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Parses a URL's text from left to right (RFC 3986, section 3); `WebURL` decides what is accepted.
struct WebURLReader {
    private var rest: Substring

    init(_ text: String) throws(WebURLError) {
        rest = text[...]
        guard Self.isWellFormed(text) else { throw WebURLError(code: .character) }
    }

    /// Reads the scheme and its colon; returns it in lower case.
    mutating func readScheme() throws(WebURLError) -> String {
        guard let colon = rest.firstIndex(of: ":") else { throw WebURLError(code: .scheme) }
        let scheme = String(rest[..<colon])
        let allowed = scheme.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        guard let first = scheme.utf8.first, first.isASCIILetter, allowed else {
            throw WebURLError(code: .scheme)
        }
        rest = rest[colon...].dropFirst()
        return scheme.asciiLowercased
    }

    /// Reads `//host:port`.
    mutating func readAuthority() throws(WebURLError) -> (host: String, port: Int?) {
        guard rest.hasPrefix("//") else { throw WebURLError(code: .host) }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        rest = rest[authority.endIndex...]
        guard !authority.contains("@") else { throw WebURLError(code: .userInformation) }
        let (host, port) = Self.split(authority)
        guard let name = HostName.canonical(String(host)) else { throw WebURLError(code: .host) }
        guard let port else { return (name, nil) }
        guard port.utf8.allSatisfy(\.isASCIIDigit), let number = Int(port), (1...65535).contains(number) else {
            throw WebURLError(code: .port)
        }
        return (name, number)
    }

    /// Checks the form of a private-use scheme (RFC 8252, section 7.1).
    func requirePrivateUse(scheme: String) throws(WebURLError) {
        guard scheme.contains("."), !scheme.hasSuffix(".") else { throw WebURLError(code: .scheme) }
        guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { throw WebURLError(code: .path) }
    }

    /// Splits the rest at the first `#` and the first `?` before it.
    func readRest() -> (path: String, query: String?, fragment: String?) {
        let hash = rest.firstIndex(of: "#") ?? rest.endIndex
        let beforeHash = rest[..<hash]
        let mark = beforeHash.firstIndex(of: "?") ?? hash
        return (
            path: String(rest[..<mark]),
            query: mark < hash ? String(beforeHash[mark...].dropFirst()) : nil,
            fragment: hash < rest.endIndex ? String(rest[hash...].dropFirst()) : nil
        )
    }

    /// The host and the part after its colon, if there is one; an IPv6 address keeps its brackets.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        let search = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[search...].firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[colon...].dropFirst())
    }

    /// Whether all bytes are valid (RFC 3986, section 2), each `%` followed by two hexadecimal digits.
    private static func isWellFormed(_ text: String) -> Bool {
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard bytes.popFirst()?.hexadecimalValue != nil, bytes.popFirst()?.hexadecimalValue != nil else {
                    return false
                }
            case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
                return false
            default:
                guard byte > 0x20, byte < 0x7F else { return false }
            }
        }
        return true
    }
}
