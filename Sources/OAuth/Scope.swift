// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A set of scope tokens in the order in which they were first named (RFC 6749, section 3.3).
///
/// Two scopes are equal when they hold the same tokens in any order.
package struct Scope: Sendable {
    /// The tokens, each once.
    package private(set) var tokens: [String] = []
    /// The same tokens, once there are too many for a linear search: a provider's answer and a client's request can
    /// hold a hundred thousand.
    private var index: Set<ExactToken> = []
    private static let plainCount = 16

    /// No scope.
    package init() {}

    /// A scope of these tokens, without repeated and empty ones.
    package init(_ tokens: some Sequence<String>) {
        for token in tokens {
            insert(token)
        }
    }

    /// Reads tokens that are separated by white space.
    package init(_ text: String) {
        self.init(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// The tokens separated by single spaces, as they are sent.
    package var text: String { tokens.joined(separator: " ") }

    /// Whether there is no token.
    package var isEmpty: Bool { tokens.isEmpty }

    /// Whether the token is in it; compared byte for byte.
    package func contains(_ token: String) -> Bool {
        guard index.isEmpty else { return index.contains(ExactToken(text: token)) }
        return tokens.contains { $0.utf8.elementsEqual(token.utf8) }
    }

    /// Whether every token of the other is in it.
    package func contains(all other: Scope) -> Bool {
        other.tokens.allSatisfy(contains)
    }

    /// This scope's tokens, then those of the other that it lacks.
    package func union(_ other: Scope) -> Scope {
        Scope(tokens + other.tokens)
    }

    /// This scope's tokens that the other lacks.
    package func subtracting(_ other: Scope) -> Scope {
        Scope(tokens.filter { !other.contains($0) })
    }

    /// Adds the token if it is not in it yet.
    package mutating func insert(_ token: String) {
        guard !token.isEmpty, !contains(token) else { return }
        tokens.append(token)
        if !index.isEmpty {
            index.insert(ExactToken(text: token))
        } else if tokens.count > Self.plainCount {
            index = Set(tokens.map(ExactToken.init))
        }
    }

    /// The scope with `offline_access` if the provider lists that as supported (OpenID Connect Core, section 11);
    /// elsewhere one unknown token would fail the whole request.
    package func addingOfflineAccess(supportedBy metadata: ProviderMetadata) -> Scope {
        guard metadata.scopesSupported.contains("offline_access") else { return self }
        return union(["offline_access"])
    }
}

extension Scope: Hashable {
    /// The same tokens in any order.
    package static func == (left: Scope, right: Scope) -> Bool {
        left.tokens.count == right.tokens.count && left.contains(all: right)
    }

    /// Feeds the tokens to the hasher, sorted.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.sorted())
    }
}

extension Scope: ExpressibleByArrayLiteral {
    /// The tokens in the order in which they are written.
    package init(arrayLiteral elements: String...) {
        self.init(elements)
    }
}

extension Scope: CustomStringConvertible {
    /// The same text.
    package var description: String { text }
}

/// A token in a set, hashed and compared by its bytes.
private struct ExactToken: Hashable {
    let text: String

    static func == (left: ExactToken, right: ExactToken) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
