// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// The head of an HTTP response from curl (`--dump-header`): the last of several, as after a redirect. Pure.
package struct ResponseHead: Sendable {
    private var pending: [UInt8] = []
    private var lines: [String] = []
    /// The status of the last complete head; interim ones (1xx) do not count.
    package private(set) var status: Int?
    /// Its challenges (RFC 9110, section 11.6.1).
    package private(set) var challenges: [AuthenticationChallenge] = []

    /// Nothing has come yet.
    package init() {}

    /// Appends the next bytes.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let end = pending.firstIndex(of: 0x0A) {
            let line = String(decoding: pending[..<end], as: UTF8.self)
            pending.removeSubrange(...end)
            take(line.last == "\r" ? String(line.dropLast()) : line)
        }
    }

    private mutating func take(_ line: String) {
        guard line.isEmpty else {
            lines.append(line)
            return
        }
        defer { lines = [] }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/"), let status = Int(words[1]), status >= 200 else { return }
        self.status = status
        let values = lines.dropFirst().compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0].lowercased() == "www-authenticate" ? String(parts[1]) : nil
        }
        challenges = AuthenticationChallenge.parse(values)
    }

    /// The scope that the API requires (RFC 6750, section 3.1); empty if it names none, nil if it refused for another
    /// reason.
    package var missingScope: String? {
        guard status == 403 else { return nil }
        return challenges.first { $0["error"] == "insufficient_scope" }.map { $0["scope"] ?? "" }
    }

    /// The API's requirements for the sign-in (RFC 9470, section 3); nil if it refused for another reason.
    package var stepUp: (acrValues: String?, maxAge: Int64?)? {
        guard status == 401 else { return nil }
        return challenges.first { $0["error"] == "insufficient_user_authentication" }
            .map { ($0["acr_values"], $0["max_age"].flatMap { Int64($0) }) }
    }
}
