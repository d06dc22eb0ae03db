// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// `logout`: no token from that moment on; revocation and the provider's own logout are tried after.
package enum Logout: MethodCall {
    package static let method = Method.logout

    /// What to end.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// Whether the grant is revoked at the provider (RFC 7009).
        package var revoke: Bool?
        /// Whether the session at the provider is ended (OpenID Connect RP-Initiated Logout).
        package var endSession: Bool?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Signs out of this account.
        package init(account: String) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .optional("revoke", \.revoke),
            .optional("end_session", \.endSession),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = LogoutResult
}

/// What came of ending a grant.
package struct LogoutResult: MethodResult {
    /// Whether the provider revoked it.
    package var revoked = false
    /// Why it did not, as a sentence.
    package var revocationFault: String?
    /// Whether the item stays in a store that cannot be used now, and goes as soon as it can.
    package var removalPending: Bool?
    /// Why the store cannot be used then: `locked` or `unavailable`.
    package var removalStore: String?
    /// Why a restart of the daemon before then would undo the sign-out, as a sentence; nil where none does.
    package var removalFault: String?
    /// A loopback URL that leads on, once, to the provider's logout.
    package var endSessionURL: String?
    /// Why there is none although it was asked for, as a sentence.
    package var endSessionFault: String?

    /// A grant that ended here.
    package init(revoked: Bool) {
        self.revoked = revoked
    }

    package init() {}

    package static let members: [Member<Self>] = [
        .required("revoked", \.revoked),
        .optional("revocation_fault", \.revocationFault),
        .optional("removal_pending", \.removalPending),
        .optional("removal_store", \.removalStore),
        .optional("removal_fault", \.removalFault),
        .optional("end_session_url", \.endSessionURL),
        .optional("end_session_fault", \.endSessionFault),
    ]
}
