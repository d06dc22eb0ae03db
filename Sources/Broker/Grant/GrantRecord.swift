// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Secrets
package import TokendProtocol

/// The stored form of one grant: all that a restart needs, and where the grant may be sent.
package struct GrantRecord: Sendable, Equatable {
    /// The mark of a refresh under way: written before the request, removed with the write of its answer. If it is
    /// present at the start, the token may be spent.
    package struct Pending: Sendable, Equatable {
        /// The generation of the refresh token that was sent.
        package var generation: Int64
        /// Unix seconds.
        package var sentAt: Int64

        package init(generation: Int64, sentAt: Int64) {
            self.generation = generation
            self.sentAt = sentAt
        }
    }

    /// Why a grant is over; kept in its item until the next login, a logout, or for 24 h. With the reason `refused` the
    /// grant may live on: the item keeps its tokens.
    package struct Ended: Sendable, Equatable {
        package var reason: EndReason
        package var oauthError: String?
        /// The provider's message, cleaned for display.
        package var message: String?
        /// Unix seconds.
        package var at: Int64

        package init(reason: EndReason, oauthError: String? = nil, message: String? = nil, at: Int64) {
            self.reason = reason
            self.oauthError = oauthError
            self.message = message
            self.at = at
        }
    }

    /// nil for a grant that cannot be renewed, and for one that has ended.
    package var refreshToken: Secret?
    /// Counts the refresh tokens of this grant: it rises with each new one.
    package var generation: Int64 = 1
    package var pending: Pending?
    /// Whether the provider's last answer brought a new refresh token; nil before the first.
    package var rotates: Bool?
    package var scope: Scope
    /// Scopes that the user asked for in addition to the account's file; later logins request them again.
    package var addedScope: Scope?
    /// The scope that a refresh requested when it brought a new refresh token. The next full refresh then tells whether
    /// that token still has the whole scope.
    package var narrowedTo: Scope?
    /// Whether down-scoping cost the refresh token scopes, against RFC 6749, section 6: then no down-scoped token is
    /// requested again. nil: not known.
    package var narrowingSticks: Bool?
    package var subject: String?
    /// The e-mail or the preferred user name.
    package var identity: String?
    /// Values that came with the login's redirect besides the code; nil if there were none.
    package var metadata: LoginMetadata?
    package var destination: GrantDestination
    /// The redirect URI of the login; nil if there was none, or it was not recorded.
    package var redirectURI: String?
    /// How the user signed in: some providers want no client secret for a grant from a device login (GitHub).
    package var flow = LoginFlow.browser
    /// Unix seconds.
    package var signedInAt: Int64
    package var refreshedAt: Int64?
    /// The grant's own end, if the provider states one; unix seconds.
    package var grantExpiresAt: Int64?
    /// Whether refreshes leave that end where it is; nil before a refresh has shown it.
    package var isEndFixed: Bool?
    /// The idle timeout that the provider stated last, in seconds; nil if it stated none, or one that refreshing does
    /// not extend.
    package var grantLife: Int64?
    /// The login's ID token, which later ones are compared with (OIDC Core, section 12.2); it is not stored, so after a
    /// restart the subject alone is compared.
    package var identityToken: IDToken?
    package var token: HeldToken?
    /// The provider's own token while the application's backend has not accepted it yet (`exchange`); the served token
    /// is always `token`.
    package var untraded: HeldToken?
    package var ended: Ended?
    /// Where its tokens come from.
    package var source = TokenSource.refreshToken

    package init(scope: Scope, destination: GrantDestination, signedInAt: Int64) {
        self.scope = scope
        self.destination = destination
        self.signedInAt = signedInAt
    }

    /// What a refreshed ID token is compared with; nil if the login brought none.
    package var baseline: IDTokenBaseline? {
        identityToken.map(IDTokenBaseline.init) ?? subject.map(IDTokenBaseline.init(subject:))
    }

    package var renewable: Bool { refreshToken != nil }

    /// Why the provider refuses to renew a grant that it does not call ended; nil if it does not refuse.
    package var refusal: Ended? {
        guard renewable, let ended, ended.reason == .refused else { return nil }
        return ended
    }

    /// Whether the whole grant must not be used again.
    package var isOver: Bool { ended != nil && refusal == nil }

    /// Whether the daemon can get another token without a user.
    package var canRenew: Bool { renewable || !source.isOfUser }

    /// Whether it was written after the other: from a later sign-in, or with a later refresh token of the same. A store
    /// that returns the other has lost this one: it acknowledged before writing, or a copy was restored.
    func isLater(than other: GrantRecord) -> Bool {
        (signedInAt, generation) > (other.signedInAt, other.generation)
    }

    /// The same grant without secrets, kept after its end.
    package func tombstone(_ end: Ended) -> GrantRecord {
        var record = self
        record.refreshToken = nil
        record.pending = nil
        record.token = nil
        record.untraded = nil
        record.ended = end
        return record
    }
}

/// Why an account needs a login; the `reason` of `login_required`.
package enum EndReason: String, Sendable, CaseIterable {
    case signedOut = "signed_out"
    case ended
    case configChanged = "config_changed"
    case lostRotation = "lost_rotation"
    case subject
    case stepUp = "step_up"
    /// The provider refuses, but does not say that the grant is over: its refresh token is kept.
    case refused

    /// One sentence for the user.
    ///
    /// - Parameter message: the provider's message.
    func sentence(account: String, message: String? = nil) -> String {
        let cause =
            switch self {
            case .signedOut: "nobody is signed in to “\(account)”"
            case .ended: "the provider has ended the sign-in of “\(account)”"
            case .configChanged: "the settings of “\(account)” changed since it was signed in"
            case .lostRotation:
                "a renewal of “\(account)” was cut off and the provider does not accept its token any more"
            case .subject: "the provider answered for another user than the one signed in to “\(account)”"
            case .stepUp: "“\(account)” needs a stronger sign-in"
            case .refused:
                "the provider refuses to renew the sign-in of “\(account)”" + (message.map { " (\($0))" } ?? "")
            }
        return "\(cause); sign in with: tokenctl login \(account)"
    }
}
