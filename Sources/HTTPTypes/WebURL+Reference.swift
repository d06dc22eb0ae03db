// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension WebURL {
    /// The URL of a reference in this one's document or headers (RFC 3986, section 5.2); nil if it is invalid, or only
    /// names another part of the same document.
    package func resolving(_ reference: String) -> WebURL? {
        if let absolute = try? WebURL(reference) { return absolute }
        guard !isPrivateUse, let first = reference.utf8.first, first != UInt8(ascii: "#") else { return nil }
        let target = reference.prefix { $0 != "#" }
        guard !target.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") else { return nil }
        if target.hasPrefix("//") { return try? WebURL("\(scheme):\(target)") }
        if target.hasPrefix("?") { return try? WebURL(origin + path + target) }
        let query = target.drop { $0 != "?" }
        let named = target.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        let whole = named.hasPrefix("/") ? String(named) : folder + named
        return try? WebURL(origin + Self.withoutDots(whole) + query)
    }

    /// The path without `.` and `..` (section 5.2.4).
    private static func withoutDots(_ path: String) -> String {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for piece in pieces {
            switch piece {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(piece)
            }
        }
        let endsInFolder = pieces.last == "." || pieces.last == ".."
        return "/" + kept.joined(separator: "/") + (endsInFolder && !kept.isEmpty ? "/" : "")
    }
}
