// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Parses one `WWW-Authenticate` value (RFC 9110, section 11.6.1).
///
/// Commas separate both challenges and parameters; a word before `=` is a parameter of the current challenge, any other
/// word begins a new one.
struct ChallengeReader {
    private var rest: Substring.UTF8View
    private var challenges: [AuthenticationChallenge] = []
    /// The parameters of the current challenge: there may be as many as fit in a line.
    private var names: Set<String> = []

    init(_ value: String) {
        rest = value[...].utf8
    }

    mutating func readChallenges() -> [AuthenticationChallenge] {
        while skipSeparators() {
            let before = rest
            let word = take(while: \.isTokenCharacter)
            guard !word.isEmpty else {
                skipToComma()
                continue
            }
            if let value = readParameterValue() {
                add(name: word, value: value)
            } else if rest.isEmpty || rest.first?.isHTTPSpace == true || rest.first == UInt8(ascii: ",") {
                begin(scheme: word)
            } else {
                rest = before
                skipToComma()
            }
        }
        return challenges
    }

    /// Skips spaces and commas; returns whether anything follows.
    private mutating func skipSeparators() -> Bool {
        _ = take { $0.isHTTPSpace || $0 == UInt8(ascii: ",") }
        return !rest.isEmpty
    }

    /// Skips unreadable text, a quoted string as a whole.
    private mutating func skipToComma() {
        while let byte = rest.first, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") {
                _ = readQuotedString()
            } else {
                rest = rest.dropFirst()
            }
        }
    }

    /// Starts a challenge, with the token68 that follows its scheme, if there is one.
    private mutating func begin(scheme: String) {
        var challenge = AuthenticationChallenge(scheme: scheme)
        let before = rest
        if !take(while: \.isHTTPSpace).isEmpty {
            let candidate = takeToken68()
            _ = take(while: \.isHTTPSpace)
            if !candidate.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ",") {
                challenge.token68 = candidate
            } else {
                rest = before
            }
        }
        challenges.append(challenge)
        names = []
    }

    private mutating func add(name: String, value: String) {
        let name = name.asciiLowercased
        guard let last = challenges.indices.last, names.insert(name).inserted else { return }
        challenges[last].parameters.append(.init(name: name, value: value))
    }

    /// Reads `= value` with optional spaces around the sign; nil, and nothing consumed, if it is missing.
    private mutating func readParameterValue() -> String? {
        let before = rest
        _ = take(while: \.isHTTPSpace)
        guard rest.first == UInt8(ascii: "=") else {
            rest = before
            return nil
        }
        rest = rest.dropFirst()
        _ = take(while: \.isHTTPSpace)
        guard rest.first == UInt8(ascii: "\"") else { return take { $0 != UInt8(ascii: ",") && !$0.isHTTPSpace } }
        return readQuotedString()
    }

    /// Reads a quoted string with its escapes (RFC 9110, section 5.6.4); an unclosed one ends with the value.
    private mutating func readQuotedString() -> String {
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func takeToken68() -> String {
        let body = take {
            $0.isASCIIAlphanumeric || "-._~+/".utf8.contains($0)
        }
        return body.isEmpty ? body : body + take { $0 == UInt8(ascii: "=") }
    }

    private mutating func take(while accepts: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: accepts)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }
}
