// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `login.wait`: the end of a login.
package enum LoginWait: MethodCall {
    package static let method = Method.loginWait

    /// Which login.
    package struct Parameters: MethodParameters {
        package static let names = ["login_id", "timeout"]

        /// The login's id.
        package var loginID: String
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Waits for this login.
        package init(loginID: String, timeout: Int64? = nil) {
            self.loginID = loginID
            self.timeout = timeout
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            loginID = try reader.required(reader.string("login_id"), "login_id")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["login_id": .string(loginID)]
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = LoginResult
}

/// What a login came to.
package struct LoginResult: MethodResult {
    /// The account that is signed in now.
    package var account: String
    /// The subject, where the provider names one.
    package var subject: String?
    /// The e-mail or the preferred user name of the subject.
    package var identity: String?
    /// What was granted.
    package var scope: String
    /// Whether there is a refresh token.
    package var renewable: Bool
    /// When the token ends, in unix seconds.
    package var expiresAt: Int64?
    /// What came back besides the code, and what the one who caught the redirect added.
    package var metadata: JSONObject?

    /// A login that succeeded.
    package init(
        account: String,
        subject: String? = nil,
        identity: String? = nil,
        scope: String,
        renewable: Bool,
        expiresAt: Int64? = nil,
        metadata: JSONObject? = nil
    ) {
        self.account = account
        self.subject = subject
        self.identity = identity
        self.scope = scope
        self.renewable = renewable
        self.expiresAt = expiresAt
        self.metadata = metadata
    }

    package init(json: JSONObject) throws(ProtocolError) {
        let reader = MemberReader(result: json)
        account = try reader.required(reader.string("account"), "account")
        subject = try reader.string("subject")
        identity = try reader.string("identity")
        scope = try reader.required(reader.string("scope"), "scope")
        renewable = try reader.required(reader.flag("renewable"), "renewable")
        expiresAt = try reader.integer("expires_at")
        metadata = try reader.object("metadata")
    }

    package func encoded() -> JSONObject {
        var object: JSONObject = ["account": .string(account)]
        object.set("subject", subject)
        object.set("identity", identity)
        object.set("scope", scope)
        object.set("renewable", renewable)
        object.set("expires_at", expiresAt)
        object.set("metadata", metadata)
        return object
    }
}

/// `login.check`: whether a URL is a login's redirect.
package enum LoginCheck: MethodCall {
    package static let method = Method.loginCheck

    /// Which login, and the URL that a web view is about to load (it may hold a code).
    package struct Parameters: MethodParameters {
        package static let names = ["login_id", "url"]

        /// The login's id.
        package var loginID: String
        /// The URL.
        package var url: Secret

        /// Asks about this URL.
        package init(loginID: String, url: Secret) {
            self.loginID = loginID
            self.url = url
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            loginID = try reader.required(reader.string("login_id"), "login_id")
            url = try reader.required(reader.secret("url"), "url")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["login_id": .string(loginID)]
            object.set("url", url)
            return object
        }
    }

    /// The answer.
    package struct Result: MethodResult {
        /// Whether the web view must stop loading and hand the URL to `login.complete`.
        package var redirect: Bool
        /// What came back besides the code, where the URL is the login's answer.
        package var metadata: JSONObject?

        /// An answer.
        package init(redirect: Bool, metadata: JSONObject? = nil) {
            self.redirect = redirect
            self.metadata = metadata
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            redirect = try reader.required(reader.flag("redirect"), "redirect")
            metadata = try reader.object("metadata")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["redirect": .bool(redirect)]
            object.set("metadata", metadata)
            return object
        }
    }
}

/// `login.complete`: hands in a redirect that did not reach the loopback listener.
package enum LoginComplete: MethodCall {
    package static let method = Method.loginComplete

    /// The redirect.
    package struct Parameters: MethodParameters {
        package static let names = ["url", "login_id", "metadata", "timeout"]

        /// The URL, with the code and the state in it.
        package var url: Secret
        /// The login's id; without it the login is found by the state.
        package var loginID: String?
        /// What the one who caught the redirect says of it.
        package var metadata: JSONObject?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Hands in this URL.
        package init(url: Secret, loginID: String? = nil) {
            self.url = url
            self.loginID = loginID
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            url = try reader.required(reader.secret("url"), "url")
            loginID = try reader.string("login_id")
            metadata = try reader.object("metadata")
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("url", url)
            object.set("login_id", loginID)
            object.set("metadata", metadata)
            object.set("timeout", timeout)
            return object
        }
    }

    package typealias Result = LoginResult
}

/// `login.cancel`: gives a login up.
package enum LoginCancel: MethodCall {
    package static let method = Method.loginCancel

    /// Which login.
    package struct Parameters: MethodParameters {
        package static let names = ["login_id"]

        /// The login's id.
        package var loginID: String

        /// Cancels this login.
        package init(loginID: String) {
            self.loginID = loginID
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            loginID = try reader.required(reader.string("login_id"), "login_id")
        }

        package func encoded() -> JSONObject {
            ["login_id": .string(loginID)]
        }
    }

    package typealias Result = NoResult
}
