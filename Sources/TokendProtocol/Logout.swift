// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `logout`: no token is served from that moment on; then revocation and the provider's own logout are tried.
package enum Logout: MethodCall {
    package static let method = Method.logout

    /// The grant to end.
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

/// The result of ending a grant.
package struct LogoutResult: MethodResult {
    /// Whether the provider revoked it.
    package var revoked = false
    /// Why it did not, as a sentence.
    package var revocationFault: String?
    /// Whether the item remains in a store that is unavailable now, to be removed as soon as possible.
    package var removalPending: Bool?
    /// Why the store is unavailable: `locked` or `unavailable`.
    package var removalStore: String?
    /// Why a restart of the daemon before then would undo the sign-out, as a sentence; nil if it would not.
    package var removalFault: String?
    /// A loopback URL that redirects, once, to the provider's logout.
    package var endSessionURL: String?
    /// Why it is missing although it was requested, as a sentence.
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
