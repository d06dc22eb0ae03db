// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd

extension LoginAttempt {
    /// If an application's server does not answer, the sign-in continues.
    private static let patience: Duration = .seconds(5)

    /// What the login asks for: the account's scopes, those that the grant it holds covers, and those of this login.
    func scope(_ metadata: ProviderMetadata, _ previous: GrantRecord?) async -> Scope {
        var granted = previous?.isGranted(to: account) == true ? previous?.scope ?? [] : []
        var configured = account.scopes
        if let named = await namedScopes() {
            // The provider may not know a scope any more that the server has dropped.
            granted = Scope(granted.tokens.filter { metadata.scopesSupported.contains($0) })
            configured = account.scopes.contains("openid") ? Scope(["openid"]).union(named) : named
        }
        return configured.union(granted).union(parameters.scope).addingOfflineAccess(supportedBy: metadata)
    }

    /// The scopes that the application's server names, now or, where it cannot be asked, last; nil where it names none.
    private func namedScopes() async -> Scope? {
        guard let url = account.scopesFrom else { return nil }
        let request = HTTPRequest(url: url, headers: ["Accept": "application/json"], timeout: Self.patience)
        do {
            let response = try await access.transport.send(request, wire: access.wire)
            guard response.status < 500, response.status != 429 else { return access.directory.namedScopes[url.text] }
            access.directory.namedScopes[url.text] = ScopeList.read(response)
        } catch {}
        return access.directory.namedScopes[url.text]
    }

    /// The failure with what is known of its cause: one scope that a provider does not know fails the whole request.
    func explained(_ failure: LoginFailure) -> LoginFailure {
        guard case .refused(let body) = failure else { return failure }
        return .refused(explained(body))
    }

    /// The same for the error alone.
    func explained(_ body: OAuthErrorBody) -> OAuthErrorBody {
        guard body.error == "invalid_scope", let sent else { return body }
        let supported = sent.prepared.metadata.scopesSupported
        let unlisted = sent.authorization.scope.subtracting(supported)
        guard !supported.isEmpty, !unlisted.isEmpty else { return body }
        let hint = "the provider does not list “\(unlisted.text)”"
        return OAuthErrorBody(
            error: body.error,
            description: body.description.map { "\($0) (\(hint))" } ?? hint,
            uri: body.uri,
            suberror: body.suberror,
            numbers: body.numbers,
            status: body.status
        )
    }
}
