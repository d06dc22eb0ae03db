// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import TokendProtocol

/// The limits on a client's tokens: it gets a down-scoped token, never the full one.
package struct TokenLimits: Sendable, Equatable {
    package var scope: Scope?
    package var resource: String?

    package init(scope: Scope? = nil, resource: String? = nil) {
        self.scope = scope
        self.resource = resource
    }

    package var isEmpty: Bool { scope == nil && resource == nil }

    /// Both limits combined; nil if they leave nothing.
    package func joined(with other: TokenLimits) -> TokenLimits? {
        var limits = self
        if let theirs = other.scope {
            let common = scope.map { own in Scope(own.tokens.filter(theirs.contains)) } ?? theirs
            guard !common.isEmpty else { return nil }
            limits.scope = common
        }
        if let theirs = other.resource {
            guard resource == nil || resource == theirs else { return nil }
            limits.resource = theirs
        }
        return limits
    }

    /// The limits, in text for a user.
    package var phrase: String {
        let parts = [scope.map { "the scope “\($0.text)”" }, resource.map { "the resource \($0)" }]
        return parts.compactMap(\.self).joined(separator: " and ")
    }
}

extension TokenGet.Parameters {
    /// Reduces the parameters to the limits.
    ///
    /// - Returns: false if the request is outside the limits.
    package mutating func hold(to limits: TokenLimits) -> Bool {
        guard !limits.isEmpty else { return true }
        // An ID token identifies the user, whatever the access token is limited to.
        guard idToken != true else { return false }
        if let limit = limits.scope {
            let asked = scope.map { Scope($0) } ?? limit
            guard limit.contains(all: asked) else { return false }
            scope = asked.isEmpty ? limit.text : asked.text
            narrow = true
        }
        if let limit = limits.resource {
            guard audience == nil, resource == nil || resource == [limit] else { return false }
            resource = [limit]
        }
        return true
    }
}
