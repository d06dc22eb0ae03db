// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import Secrets
package import TokendProtocol

/// What lies in the secret store for one grant: all that a restart needs, and where the grant may go.
package struct GrantRecord: Sendable, Equatable {
    /// The mark that a refresh was sent: written before the request, removed with the write of its answer. If it is there at
    /// the start, the token may be spent.
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

    /// Why a grant is over; what is left of its item until the next login, a logout or 24 h. With the reason `refused` the
    /// grant may live on: the item keeps its tokens.
    package struct Ended: Sendable, Equatable {
        package var reason: EndReason
        package var oauthError: String?
        /// What the provider said, fit to be shown.
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
    /// What the user has asked for beside what the account's file says, which later logins ask for again.
    package var addedScope: Scope?
    /// What a refresh asked for alone that brought a new refresh token, until the next one for the whole tells whether
    /// that token still has the whole scope.
    package var narrowedTo: Scope?
    /// Whether it lost some, against RFC 6749, section 6: then no narrower token is requested again. nil: not known.
    package var narrowingSticks: Bool?
    package var subject: String?
    /// The e-mail or the preferred user name.
    package var identity: String?
    /// What came back with the login besides the code; nil where nothing did.
    package var metadata: LoginMetadata?
    package var destination: GrantDestination
    /// The redirect URI of the login; nil if there was none, or it was not recorded.
    package var redirectURI: String?
    /// How it was made: some providers want no client secret for what came by a device login (GitHub).
    package var flow = LoginFlow.browser
    /// Unix seconds.
    package var signedInAt: Int64
    package var refreshedAt: Int64?
    /// The grant's own end, where the provider states one; unix seconds.
    package var grantExpiresAt: Int64?
    /// Whether that end stays where it is whatever is refreshed; nil before a refresh has shown it.
    package var isEndFixed: Bool?
    /// The life that the provider stated last, in seconds from one refresh to the end; nil where it stated none, or one
    /// that refreshing does not put off.
    package var grantLife: Int64?
    /// The login's ID token, which later ones are compared with (OIDC Core, section 12.2); forgotten by a restart,
    /// after which the subject alone is compared.
    package var identityToken: IDToken?
    package var token: HeldToken?
    /// The provider's own token while the application's backend has not taken it yet (`exchange`); what is served is
    /// `token`, always.
    package var untraded: HeldToken?
    package var ended: Ended?
    /// Where its tokens come from.
    package var source = TokenSource.refreshToken

    package init(scope: Scope, destination: GrantDestination, signedInAt: Int64) {
        self.scope = scope
        self.destination = destination
        self.signedInAt = signedInAt
    }

    /// What a refreshed ID token is compared with; nil where the login brought none.
    package var baseline: IDTokenBaseline? {
        identityToken.map(IDTokenBaseline.init) ?? subject.map(IDTokenBaseline.init(subject:))
    }

    package var renewable: Bool { refreshToken != nil }

    /// Why the provider refuses to renew the grant, which it does not say to be over; nil where it does not refuse.
    package var refusal: Ended? {
        guard renewable, let ended, ended.reason == .refused else { return nil }
        return ended
    }

    /// Whether nothing of it is to be used again.
    package var isOver: Bool { ended != nil && refusal == nil }

    /// Whether the daemon can get another token without a user.
    package var canRenew: Bool { renewable || !source.isOfUser }

    /// Whether it was written after the other: of a later sign-in, or with a later refresh token of the same. A store that
    /// has the other has lost this one: it acknowledges before it writes, or a copy of it was put back.
    func isLater(than other: GrantRecord) -> Bool {
        (signedInAt, generation) > (other.signedInAt, other.generation)
    }

    /// The same grant without anything secret, for the time after its end.
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
    /// The provider refuses, and does not say that the grant is over: its refresh token is kept.
    case refused

    /// One sentence for a person.
    ///
    /// - Parameter message: what the provider said.
    func sentence(account: String, message: String? = nil) -> String {
        let cause =
            switch self {
            case .signedOut: "nobody is signed in to “\(account)”"
            case .ended: "the provider has ended the sign-in of “\(account)”"
            case .configChanged: "the settings of “\(account)” changed since it was signed in"
            case .lostRotation:
                "a renewal of “\(account)” was cut off and the provider does not accept its token any more"
            case .subject: "the provider answered for another person than the one signed in to “\(account)”"
            case .stepUp: "“\(account)” needs a stronger sign-in"
            case .refused:
                "the provider refuses to renew the sign-in of “\(account)”" + (message.map { " (\($0))" } ?? "")
            }
        return "\(cause); sign in with: tokenctl login \(account)"
    }
}
