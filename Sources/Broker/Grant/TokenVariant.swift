// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import OAuth

/// A token for another scope, resource or audience than the account's file names: each distinct variant has its own
/// token, all from the same refresh token.
package struct TokenVariant: Sendable {
    /// The exact scope (RFC 6749, section 6); nil: the provider's default.
    package let scope: Scope?
    /// The resources (RFC 8707), sorted and unique.
    package let resources: [String]
    /// The same, for providers with this parameter.
    package let audience: String?
    /// Whether the scope selects the resource, and the answer may cover more of that resource.
    package let choosesResource: Bool

    /// - Parameter resources: absolute URIs without a fragment, in any order.
    package init(scope: Scope? = nil, resources: [String] = [], audience: String? = nil) {
        self.scope = scope
        self.resources = Set(resources).sorted()
        self.audience = audience
        choosesResource = false
    }

    /// For providers where the scopes choose the resource, all of them of one resource
    /// (`dialect.scopes_choose_resource`).
    package init(choosing scope: Scope) {
        self.scope = scope
        resources = []
        audience = nil
        choosesResource = true
    }

    /// The requested variant; nil: the account's own token.
    ///
    /// Both `resources` and `audience` name the token's target: either one replaces both settings.
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

/// A variant's token.
package struct DerivedToken: Sendable, Equatable {
    package var variant: TokenVariant
    package var token: HeldToken

    package init(_ token: HeldToken, for variant: TokenVariant) {
        self.variant = variant
        self.token = token
    }
}
