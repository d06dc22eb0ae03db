// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One kind of bytes from outside, read by the code that reads it in the programs.
///
/// `scripts/fuzz` looks for bytes that break a rule; those that once did lie in `Tests/FuzzCorpus`, with the ones to start
/// from, and `FuzzTests` reads them all in every run.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The cutting of a client's bytes into lines.
    case lines
    /// The JSON reader, compared with Foundation's.
    case json
    /// The JSON5 reader, of the files.
    case json5
    /// A client's requests, with every method's parameters.
    case requests
    /// A provider's answers: tokens, userinfo, pushed requests, the application's backend.
    case answers
    /// Key sets and signed tokens.
    case tokens
    /// `WWW-Authenticate`.
    case challenges
    /// Redirect URIs, and what a browser brings home to them.
    case redirects
    /// HTTP dates and `Retry-After`.
    case dates

    /// Reads the bytes.
    ///
    /// - Throws: which rule they break. What traps breaks one, too.
    package func read(_ bytes: [UInt8]) throws(BrokenRule) {
        switch self {
        case .lines: try Self.readLines(bytes)
        case .json: try Self.readJSON(bytes)
        case .json5: try Self.readJSON5(bytes)
        case .requests: try Self.readRequest(bytes)
        case .answers: try Self.readAnswer(bytes)
        case .tokens: try Self.readTokens(bytes)
        case .challenges: try Self.readChallenges(bytes)
        case .redirects: try Self.readRedirect(bytes)
        case .dates: try Self.readDate(bytes)
        }
    }
}

/// A rule that a reader broke.
package struct BrokenRule: Error, CustomStringConvertible {
    /// One sentence.
    package let description: String

    /// Throws itself unless the rule holds.
    static func unless(_ holds: Bool, _ rule: @autoclosure () -> String) throws(BrokenRule) {
        if !holds { throw BrokenRule(description: rule()) }
    }
}

extension BrokenRule {
    /// The value, which the rule says is there.
    static func value<Value>(_ rule: String, _ read: () throws -> Value) throws(BrokenRule) -> Value {
        do {
            return try read()
        } catch {
            throw BrokenRule(description: "\(rule): \(error)")
        }
    }
}
