// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
import Secrets
import Systemd

/// How an account gets access tokens without its user. A further grant type is a case here, with a `TokenFlow` that
/// `Account.tokenFlow` makes, and a factory of `TokenRequest`.
package enum TokenSource: Sendable, Equatable {
    /// The refresh token of a grant that the user gave (RFC 6749, section 6).
    case refreshToken
    /// The client's own authentication (RFC 6749, section 4.4), for this scope.
    case clientCredentials(Scope)

    /// Whether it is a user's grant, which can end, and which a sign-in replaces.
    var isOfUser: Bool { self == .refreshToken }

    /// A request as it would be sent, with placeholders for secrets.
    func sample() throws(OAuthError) -> TokenRequest {
        switch self {
        case .refreshToken: try .refresh(Secret("none"))
        case .clientCredentials(let scope): try .clientCredentials(scope: scope)
        }
    }
}

extension TokenSource {
    /// The scope of the client's own tokens, as a stored record has it; nil where they come from a refresh token.
    var ownScope: Scope? {
        get {
            guard case .clientCredentials(let scope) = self else { return nil }
            return scope
        }
        set { self = newValue.map(TokenSource.clientCredentials) ?? .refreshToken }
    }
}

extension AccountConfiguration {
    /// How the account gets tokens once it is set up.
    var tokenSource: TokenSource {
        switch flow {
        case .browser, .device: .refreshToken
        case .clientCredentials: .clientCredentials(scopes)
        }
    }
}

extension GrantRecord {
    /// The grant of an account without a user, before its first token.
    ///
    /// - Parameter time: unix seconds.
    static func withoutUser(
        _ account: AccountConfiguration,
        wire: DaemonConfiguration.Wire,
        metadata: ProviderMetadata = ProviderMetadata(),
        at time: Int64
    ) -> GrantRecord {
        let destination = GrantDestination(account: account, wire: wire, metadata: metadata)
        var record = GrantRecord(scope: account.scopes, destination: destination, signedInAt: time)
        record.source = account.tokenSource
        return record
    }
}

/// One token of an account: requested, judged, stored, and reported to the account as an event.
@LoopActor protocol TokenFlow: Sendable {
    /// - Parameter known: the grant as the account holds it.
    /// - Returns: nil if the work is no longer current.
    func run(_ known: GrantRecord) async -> RefreshOutcome?
}
