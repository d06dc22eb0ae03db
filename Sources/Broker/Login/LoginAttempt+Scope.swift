// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd

extension LoginAttempt {
    /// If an application's server does not answer, the sign-in continues.
    private static let patience: Duration = .seconds(5)

    /// The scope to request: the account's scopes, and those that the user has added. Scopes that only an answer named
    /// are not requested: they may have been removed from the file, and the provider may not know them any more.
    func scope(_ metadata: ProviderMetadata, added: Scope) async -> Scope {
        var configured = account.scopes
        if let named = await namedScopes() {
            configured = account.scopes.contains("openid") ? Scope(["openid"]).union(named) : named
        }
        guard account.asksOfflineAccess else { return configured.subtracting(["offline_access"]).union(added) }
        return configured.union(added).addingOfflineAccess(supportedBy: metadata)
    }

    /// Scopes that the user has asked for in addition to the account's file: at this login, and at earlier ones.
    func addedScope(_ previous: GrantRecord?) -> Scope {
        let before = previous?.isIssued(to: account) == true ? previous?.addedScope : nil
        return (before ?? []).union(parameters.scope)
    }

    /// The scopes that the application's server names, now or, if it cannot be reached, last time; nil if it names
    /// none.
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
