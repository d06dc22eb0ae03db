// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import OAuth

/// What a token is for, where that is not what the account's file says: each distinct combination has a token of its
/// own, which one and the same refresh token brings.
package struct TokenVariant: Sendable {
    /// It covers exactly these (RFC 6749, section 6); nil: what the provider gives without a word.
    package let scope: Scope?
    /// What it is for (RFC 8707), in an order of their own, each once.
    package let resources: [String]
    /// The same, for providers that call it so.
    package let audience: String?
    /// Whether the scope says which resource it is for, and the answer may cover more of that resource.
    package let choosesResource: Bool

    /// - Parameter resources: absolute URIs without a fragment, in any order.
    package init(scope: Scope? = nil, resources: [String] = [], audience: String? = nil) {
        self.scope = scope
        self.resources = Set(resources).sorted()
        self.audience = audience
        choosesResource = false
    }

    /// What a provider gives that goes by the scopes, all of one resource (`dialect.scopes_choose_resource`).
    package init(choosing scope: Scope) {
        self.scope = scope
        resources = []
        audience = nil
        choosesResource = true
    }

    /// What is asked for beside what the account's file says; nil: the account's own token.
    ///
    /// Both `resources` and `audience` name what a token is for: naming either takes the place of both settings.
    package init?(scope: Scope?, resources: [String]?, audience: String?, besides account: AccountConfiguration) {
        let configured = TokenVariant(resources: account.resource, audience: account.audience)
        var variant = TokenVariant(scope: scope, resources: configured.resources, audience: configured.audience)
        if resources != nil || audience != nil {
            variant = TokenVariant(scope: scope, resources: resources ?? [], audience: audience)
        }
        guard variant != configured else { return nil }
        self = variant
    }

    /// Its description in the log.
    package var description: String {
        let parts = [scope.map { "scope “\($0.text)”" }] + resources.map { "“\($0)”" } + [audience.map { "“\($0)”" }]
        return DisplayText.sanitized(parts.compactMap(\.self).joined(separator: ", "))
    }
}

extension TokenVariant: Equatable {
    /// The same scopes and resources in any order; an audience is compared byte for byte.
    package static func == (left: TokenVariant, right: TokenVariant) -> Bool {
        left.scope == right.scope && left.resources == right.resources
            && left.choosesResource == right.choosesResource
            && left.audience.map { Array($0.utf8) } == right.audience.map { Array($0.utf8) }
    }
}

/// A token that has come for a combination.
package struct DerivedToken: Sendable, Equatable {
    package var variant: TokenVariant
    package var token: HeldToken

    package init(_ token: HeldToken, for variant: TokenVariant) {
        self.variant = variant
        self.token = token
    }
}
