// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// How an account is. Times are unix seconds.
package struct AccountStatus: Sendable, Equatable {
    /// A login that waits for its user.
    package struct PendingLogin: Sendable, Equatable {
        /// The login's id.
        package var loginID: String
        /// When it is given up.
        package var expiresAt: Int64

        /// A pending login.
        package init(loginID: String, expiresAt: Int64) {
            self.loginID = loginID
            self.expiresAt = expiresAt
        }
    }

    /// What went wrong last.
    package struct Fault: Sendable, Equatable {
        /// The kind, as an error of the protocol has it.
        package var kind: ErrorKind
        /// One sentence for a user.
        package var message: String
        /// When it happened.
        package var at: Int64
        /// When it is tried again, where it is.
        package var retryAt: Int64?

        /// A fault.
        package init(kind: ErrorKind, message: String, at: Int64, retryAt: Int64? = nil) {
            self.kind = kind
            self.message = message
            self.at = at
            self.retryAt = retryAt
        }
    }

    /// The account's name.
    package var account: String
    /// Its issuer; empty where its file tells none.
    package var issuer: String
    /// Its client id; empty where its file tells none.
    package var clientID: String
    /// How it is.
    package var state: AccountState
    /// Why a login is required.
    package var reason: LoginReason?
    /// What was granted.
    package var scope: String?
    /// The subject of the grant.
    package var subject: String?
    /// The e-mail or the preferred user name of the subject.
    package var identity: String?
    /// How the account signs in.
    package var flow: LoginFlow
    /// Whether there is a refresh token.
    package var renewable: Bool?
    /// When the held token ends.
    package var expiresAt: Int64?
    /// When the next refresh is due.
    package var refreshAt: Int64?
    /// When the last refresh succeeded.
    package var refreshedAt: Int64?
    /// When the grant itself ends, where the provider tells.
    package var grantExpiresAt: Int64?
    /// Whether that end is near, and only a sign-in puts it off.
    package var grantEnding: Bool?
    /// Whether background work is paused.
    package var paused: Bool?
    /// The login that waits.
    package var login: PendingLogin?
    /// What went wrong last.
    package var fault: Fault?

    /// An account of which nothing more is known.
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

    init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        account = try reader.required(reader.string("account"), "account")
        issuer = try reader.required(reader.string("issuer"), "issuer")
        clientID = try reader.required(reader.string("client_id"), "client_id")
        state = AccountState(rawValue: try reader.required(reader.string("state"), "state"))
        reason = try reader.string("reason").map(LoginReason.init(rawValue:))
        scope = try reader.string("scope")
        subject = try reader.string("subject")
        identity = try reader.string("identity")
        flow = LoginFlow(rawValue: try reader.required(reader.string("flow"), "flow"))
        renewable = try reader.flag("renewable")
        expiresAt = try reader.integer("expires_at")
        refreshAt = try reader.integer("refresh_at")
        refreshedAt = try reader.integer("refreshed_at")
        grantExpiresAt = try reader.integer("grant_expires_at")
        grantEnding = try reader.flag("grant_ending")
        paused = try reader.flag("paused")
        if let object = try reader.object("login") {
            login = try PendingLogin(json: object)
        }
        if let object = try reader.object("fault") {
            fault = try Fault(json: object)
        }
    }

    /// The members of an element of `accounts`.
    package func encoded() -> JSONObject {
        var object: JSONObject = ["account": .string(account), "issuer": .string(issuer)]
        object.set("client_id", clientID)
        object.set("state", state.rawValue)
        object.set("reason", reason?.rawValue)
        object.set("scope", scope)
        object.set("subject", subject)
        object.set("identity", identity)
        object.set("flow", flow.rawValue)
        object.set("renewable", renewable)
        object.set("expires_at", expiresAt)
        object.set("refresh_at", refreshAt)
        object.set("refreshed_at", refreshedAt)
        object.set("grant_expires_at", grantExpiresAt)
        object.set("grant_ending", grantEnding)
        object.set("paused", paused)
        object.set("login", login?.encoded())
        object.set("fault", fault?.encoded())
        return object
    }
}

extension AccountStatus.PendingLogin {
    init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        loginID = try reader.required(reader.string("login_id"), "login_id")
        expiresAt = try reader.required(reader.integer("expires_at"), "expires_at")
    }

    func encoded() -> JSONObject {
        ["login_id": .string(loginID), "expires_at": .integer(expiresAt)]
    }
}

extension AccountStatus.Fault {
    init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        kind = ErrorKind(rawValue: try reader.required(reader.string("kind"), "kind"))
        message = try reader.required(reader.string("message"), "message")
        at = try reader.required(reader.integer("at"), "at")
        retryAt = try reader.integer("retry_at")
    }

    func encoded() -> JSONObject {
        var object: JSONObject = ["kind": .string(kind.rawValue), "message": .string(message), "at": .integer(at)]
        object.set("retry_at", retryAt)
        return object
    }
}
