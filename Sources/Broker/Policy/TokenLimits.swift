// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import StrictJSON

/// What a client is held to: it gets a narrower token, never the wide one.
package struct TokenLimits: Sendable, Equatable {
    package var scope: Scope?
    package var resource: String?

    package init(scope: Scope? = nil, resource: String? = nil) {
        self.scope = scope
        self.resource = resource
    }

    package var isEmpty: Bool { scope == nil && resource == nil }

    /// Both limits at once; nil where they leave nothing.
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

    /// The parameters of a `token.get` that stay within the limits.
    ///
    /// - Returns: nil where what is asked for lies outside.
    package func narrowing(_ params: JSONObject) -> JSONObject? {
        guard !isEmpty else { return params }
        // An ID token says who the user is, whatever the access token is held to.
        guard params["id_token"]?.bool != true else { return nil }
        var params = params
        if let scope {
            let asked = params["scope"]?.string.map { Scope($0) } ?? scope
            guard scope.contains(all: asked) else { return nil }
            params["scope"] = .string(asked.isEmpty ? scope.text : asked.text)
            params["narrow"] = true
        }
        if let resource {
            guard params["audience"] == nil else { return nil }
            if let asked = params["resource"], asked.string != resource, asked.array != [.string(resource)] {
                return nil
            }
            params["resource"] = .string(resource)
        }
        return params
    }

    /// What the limits are, for a user.
    package var phrase: String {
        let parts = [scope.map { "the scope “\($0.text)”" }, resource.map { "the resource \($0)" }]
        return parts.compactMap(\.self).joined(separator: " and ")
    }
}
