// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Hosts in URLs (RFC 3986, section 3.2.2).
enum HostName {
    /// The host in lower case, or nil if it is neither a name nor an address.
    ///
    /// If the last label consists of digits (or `0x…`), only four plain decimal numbers are an address: `127.1` and
    /// `2130706433` mean 127.0.0.1 to some programs and a name to others.
    static func canonical(_ text: String) -> String? {
        let host = text.asciiLowercased
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), address6(host) != nil else { return nil }
            return host
        }
        guard isName(host) else { return nil }
        return looksNumeric(host) && address4(host) == nil ? nil : host
    }

    /// Whether a canonical host is this machine.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" {
            return true
        }
        if let bytes = address4(host) {
            return bytes.first == 127
        }
        return address6(host) == Array(repeating: 0, count: 15) + [1]
    }

    private static func isName(_ host: String) -> Bool {
        guard !host.isEmpty, host.utf8.count <= 253 else { return false }
        let allowed = host.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return allowed && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    private static func looksNumeric(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last else { return false }
        return last.utf8.allSatisfy(\.isASCIIDigit) || last.hasPrefix("0x")
    }

    private static func address4(_ host: String) -> [UInt8]? {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { Array($0) }
    }

    private static func address6(_ host: String) -> [UInt8]? {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return nil }
        return withUnsafeBytes(of: &address) { Array($0) }
    }
}
