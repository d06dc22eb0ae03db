// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Members

/// The state of an account; unknown ones decode to themselves.
package struct AccountState: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The state with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The store has not answered yet.
    package static let unknown = AccountState(rawValue: "unknown")
    /// There is no grant.
    package static let signedOut = AccountState(rawValue: "signed_out")
    /// A login waits for the user, and there is no usable grant.
    package static let loginPending = AccountState(rawValue: "login_pending")
    /// A token is available or can be fetched.
    package static let ready = AccountState(rawValue: "ready")
    /// A refresh is under way.
    package static let refreshing = AccountState(rawValue: "refreshing")
    /// The last refresh failed for a passing reason.
    package static let retrying = AccountState(rawValue: "retrying")
    /// The grant has ended.
    package static let loginRequired = AccountState(rawValue: "login_required")
    /// The secret store is locked.
    package static let storeLocked = AccountState(rawValue: "store_locked")
    /// The account's file has a fault.
    package static let misconfigured = AccountState(rawValue: "misconfigured")
}

/// The state of the secret store; unknown ones decode to themselves.
package struct StoreState: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The state with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// It answers.
    package static let ready = StoreState(rawValue: "ready")
    /// It waits for its passphrase.
    package static let locked = StoreState(rawValue: "locked")
    /// There is none, or it failed.
    package static let unavailable = StoreState(rawValue: "unavailable")
    /// It was not used yet.
    package static let unknown = StoreState(rawValue: "unknown")
}

/// The kind of store; unknown ones decode to themselves.
package struct StoreKind: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The kind with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The desktop's keyring, by the Secret Service.
    package static let secretService = StoreKind(rawValue: "secret-service")
    /// An encrypted file.
    package static let file = StoreKind(rawValue: "file")
    /// Nothing that outlives the daemon.
    package static let memory = StoreKind(rawValue: "memory")
}

/// Why a login is required; unknown reasons decode to themselves.
package struct LoginReason: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The reason with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No user signed in, or the user signed out.
    package static let signedOut = LoginReason(rawValue: "signed_out")
    /// The provider ended the grant.
    package static let ended = LoginReason(rawValue: "ended")
    /// The account's settings changed under the grant.
    package static let configChanged = LoginReason(rawValue: "config_changed")
    /// A rotated refresh token was lost in transit.
    package static let lostRotation = LoginReason(rawValue: "lost_rotation")
    /// The provider's answer was for another subject.
    package static let subject = LoginReason(rawValue: "subject")
    /// The API requires a stronger or more recent authentication.
    package static let stepUp = LoginReason(rawValue: "step_up")
    /// The provider refuses to renew the grant and does not say that it is over.
    package static let refused = LoginReason(rawValue: "refused")
}

/// How a login is made; an unknown one decodes to itself in results and is refused in parameters.
package struct LoginFlow: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The flow with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The authorization code flow in a browser.
    package static let browser = LoginFlow(rawValue: "browser")
    /// The device flow (RFC 8628).
    package static let device = LoginFlow(rawValue: "device")
    /// Client credentials (RFC 6749 section 4.4), without a user.
    package static let clientCredentials = LoginFlow(rawValue: "client_credentials")

    /// The flows of version 1.
    package static let known: [LoginFlow] = [.browser, .device, .clientCredentials]

    /// Whether a user signs in.
    package var hasUser: Bool { self != .clientCredentials }
}
