// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `logout`: no token from that moment on; revocation and the provider's own logout are tried after.
package enum Logout: MethodCall {
    package static let method = Method.logout

    /// What to end.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "revoke", "end_session", "timeout"]

        /// The account's name.
        package var account: String
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

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            revoke = try reader.flag("revoke")
            endSession = try reader.flag("end_session")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account)]
            object.set("revoke", revoke)
            object.set("end_session", endSession)
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = LogoutResult
}

/// What came of ending a grant.
package struct LogoutResult: MethodResult {
    /// Whether the provider revoked it.
    package var revoked: Bool
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

    package init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        revoked = try reader.required(reader.flag("revoked"), "revoked")
        revocationFault = try reader.string("revocation_fault")
        removalPending = try reader.flag("removal_pending")
        removalStore = try reader.string("removal_store")
        removalFault = try reader.string("removal_fault")
        endSessionURL = try reader.string("end_session_url")
        endSessionFault = try reader.string("end_session_fault")
    }

    package func encoded() -> JSONObject {
        var object: JSONObject = ["revoked": .bool(revoked)]
        object.set("revocation_fault", revocationFault)
        object.set("removal_pending", removalPending)
        object.set("removal_store", removalStore)
        object.set("removal_fault", removalFault)
        object.set("end_session_url", endSessionURL)
        object.set("end_session_fault", endSessionFault)
        return object
    }
}
