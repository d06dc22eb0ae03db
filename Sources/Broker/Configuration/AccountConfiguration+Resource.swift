// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth

// Providers where scopes choose the resource (`dialect.scopes_choose_resource`): the scope that a token request needs
// for the account's own resource. nil for all others.
extension AccountConfiguration {
    /// The resource of the account's own token: that of its first scope.
    var ownResource: String { scopes.resources.first ?? "" }

    /// For exchanging the code of a login that asked for `scope`.
    func codeScope(of scope: Scope) -> Scope? {
        dialect.scopesChooseResource ? scope.of(resource: ownResource) : nil
    }

    /// For a renewal: never more than was granted, since a scope without consent would end the grant.
    func renewalScope(granted: Scope) -> Scope? {
        guard dialect.scopesChooseResource else { return nil }
        var scope = granted.covering(scopes.of(resource: ownResource))
        if scope.resources.isEmpty { scope = granted.of(resource: granted.resources.first) }
        // Answers do not list it.
        if scopes.contains("offline_access") { scope.insert("offline_access") }
        return scope
    }
}
