// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An `http` URL taken apart, as far as the tests' own client needs it.
package struct HTTPAddress: Sendable {
    package let host: String
    package let port: UInt16
    /// Path and query; never empty.
    package let target: String
    /// Host and port as they stand in the URL, for the `Host` header.
    package let authority: String

    /// Reads an absolute `http` URL with a numeric host; nil for anything else.
    package init?(_ url: String) {
        guard url.hasPrefix("http://") else { return nil }
        let rest = url.dropFirst("http://".count).prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        authority = String(rest[..<end])
        let path = rest[end...]
        target = path.hasPrefix("/") ? String(path) : "/" + path
        if authority.hasPrefix("["), let bracket = authority.firstIndex(of: "]") {
            host = String(authority[authority.index(after: authority.startIndex)..<bracket])
            let tail = authority[authority.index(after: bracket)...]
            port = tail.isEmpty ? 80 : UInt16(tail.dropFirst()) ?? 0
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { return nil }
            host = String(name)
            port = parts.count > 1 ? UInt16(parts[1]) ?? 0 : 80
        }
        guard port != 0 else { return nil }
    }

    /// The URL that a `Location` in an answer from here leads to.
    package func resolve(_ location: String) -> String {
        if location.contains("://") { return location }
        if location.hasPrefix("/") { return "http://\(authority)\(location)" }
        let path = target.prefix { $0 != "?" }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return "http://\(authority)\(folder)\(location)"
    }
}
