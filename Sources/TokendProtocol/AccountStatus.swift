// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// The state of an account. Times are unix seconds.
package struct AccountStatus: WireMessage {
    /// A login that waits for the user.
    package struct PendingLogin: WireMessage {
        /// The login's id.
        package var loginID = ""
        /// When it times out.
        package var expiresAt: Int64 = 0

        /// A pending login.
        package init(loginID: String, expiresAt: Int64) {
            self.loginID = loginID
            self.expiresAt = expiresAt
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("login_id", \.loginID),
            .required("expires_at", \.expiresAt),
        ]
    }

    /// The last fault.
    package struct Fault: WireMessage {
        /// The kind, as in an error of the protocol.
        package var kind = ErrorKind.internalError
        /// One sentence for a user.
        package var message = ""
        /// When it happened.
        package var at: Int64 = 0
        /// When it is tried again, if it is.
        package var retryAt: Int64?

        /// A fault.
        package init(kind: ErrorKind, message: String, at: Int64, retryAt: Int64? = nil) {
            self.kind = kind
            self.message = message
            self.at = at
            self.retryAt = retryAt
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("kind", \.kind),
            .required("message", \.message),
            .required("at", \.at),
            .optional("retry_at", \.retryAt),
        ]
    }

    /// The account's name.
    package var account = ""
    /// Its issuer; empty if its file names none.
    package var issuer = ""
    /// Its client id; empty if its file names none.
    package var clientID = ""
    /// Its state.
    package var state = AccountState.unknown
    /// Why a login is required.
    package var reason: LoginReason?
    /// The granted scope.
    package var scope: String?
    /// The subject of the grant.
    package var subject: String?
    /// The e-mail or the preferred user name of the subject.
    package var identity: String?
    /// How the account signs in.
    package var flow = LoginFlow.browser
    /// Whether there is a refresh token.
    package var renewable: Bool?
    /// When the held token ends.
    package var expiresAt: Int64?
    /// When the next refresh is due.
    package var refreshAt: Int64?
    /// When the last refresh succeeded.
    package var refreshedAt: Int64?
    /// When the grant itself ends, if the provider says so.
    package var grantExpiresAt: Int64?
    /// Whether that end is near, and only a sign-in moves it.
    package var grantEnding: Bool?
    /// Whether background work is paused.
    package var paused: Bool?
    /// The pending login.
    package var login: PendingLogin?
    /// The last fault.
    package var fault: Fault?

    /// An account of which nothing else is known.
    package init(
        account: String,
        issuer: String,
        clientID: String,
        state: AccountState,
        flow: LoginFlow = .browser
    ) {
        self.account = account
        self.issuer = issuer
        self.clientID = clientID
        self.state = state
        self.flow = flow
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("account", \.account),
        .required("issuer", \.issuer),
        .required("client_id", \.clientID),
        .required("state", \.state),
        .optional("reason", \.reason),
        .optional("scope", \.scope),
        .optional("subject", \.subject),
        .optional("identity", \.identity),
        .required("flow", \.flow),
        .optional("renewable", \.renewable),
        .optional("expires_at", \.expiresAt),
        .optional("refresh_at", \.refreshAt),
        .optional("refreshed_at", \.refreshedAt),
        .optional("grant_expires_at", \.grantExpiresAt),
        .optional("grant_ending", \.grantEnding),
        .optional("paused", \.paused),
        .optional("login", \.login),
        .optional("fault", \.fault),
    ]
}
