// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd

extension LoginAttempt {
    /// If an application's server does not answer, the sign-in continues.
    private static let patience: Duration = .seconds(5)

    /// What the login asks for: the account's scopes, and those that the user has added. What an answer alone named is not
    /// asked for: it may have left the file, and the provider may know it no more.
    func scope(_ metadata: ProviderMetadata, added: Scope) async -> Scope {
        var configured = account.scopes
        if let named = await namedScopes() {
            configured = account.scopes.contains("openid") ? Scope(["openid"]).union(named) : named
        }
        guard account.asksOfflineAccess else { return configured.subtracting(["offline_access"]).union(added) }
        return configured.union(added).addingOfflineAccess(supportedBy: metadata)
    }

    /// What the user has asked for beside what the account's file says: at this login, and at those before it.
    func addedScope(_ previous: GrantRecord?) -> Scope {
        let before = previous?.isIssued(to: account) == true ? previous?.addedScope : nil
        return (before ?? []).union(parameters.scope)
    }

    /// The scopes that the application's server names, now or, where it cannot be asked, last; nil where it names none.
    private func namedScopes() async -> Scope? {
        guard let url = account.scopesFrom else { return nil }
        do {
            let response = try await access.transport.document(at: url, wire: access.wire, timeout: Self.patience)
            guard response.status < 500, response.status != 429 else { return access.directory.namedScopes[url.text] }
            access.directory.namedScopes[url.text] = ScopeList.read(response)
        } catch {}
        return access.directory.namedScopes[url.text]
    }
}
