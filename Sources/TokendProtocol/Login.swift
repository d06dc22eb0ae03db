// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets
package import StrictJSON

/// `login.wait`: the end of a login.
package enum LoginWait: MethodCall {
    package static let method = Method.loginWait

    /// Which login.
    package struct Parameters: MethodParameters {
        /// The login's id.
        package var loginID = ""
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Waits for this login.
        package init(loginID: String, timeout: Int64? = nil) {
            self.loginID = loginID
            self.timeout = timeout
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("login_id", \.loginID),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = LoginResult
}

/// The result of a login.
package struct LoginResult: MethodResult {
    /// The account that is signed in now.
    package var account = ""
    /// The subject, if the provider names one.
    package var subject: String?
    /// The e-mail or the preferred user name of the subject.
    package var identity: String?
    /// The granted scope.
    package var scope = ""
    /// Whether there is a refresh token.
    package var renewable = false
    /// When the token ends, in unix seconds.
    package var expiresAt: Int64?
    /// The redirect's metadata, and the caller's.
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

    package init() {}

    package static let members: [Member<Self>] = [
        .required("account", \.account),
        .optional("subject", \.subject),
        .optional("identity", \.identity),
        .required("scope", \.scope),
        .required("renewable", \.renewable),
        .optional("expires_at", \.expiresAt),
        .optional("metadata", \.metadata),
    ]
}

/// `login.check`: whether a URL is a login's redirect.
package enum LoginCheck: MethodCall {
    package static let method = Method.loginCheck

    /// The login, and the URL that a web view is about to load (which may contain a code).
    package struct Parameters: MethodParameters {
        /// The login's id.
        package var loginID = ""
        /// The URL.
        package var url = Secret("")

        /// Asks about this URL.
        package init(loginID: String, url: Secret) {
            self.loginID = loginID
            self.url = url
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("login_id", \.loginID),
            .required("url", \.url),
        ]
    }

    /// The answer.
    package struct Result: MethodResult {
        /// Whether the web view must stop loading and pass the URL to `login.complete`.
        package var redirect = false
        /// The redirect's metadata, if the URL is the login's answer.
        package var metadata: JSONObject?

        /// An answer.
        package init(redirect: Bool, metadata: JSONObject? = nil) {
            self.redirect = redirect
            self.metadata = metadata
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("redirect", \.redirect),
            .optional("metadata", \.metadata),
        ]
    }
}

/// `login.complete`: passes a redirect that did not reach the loopback listener.
package enum LoginComplete: MethodCall {
    package static let method = Method.loginComplete

    /// The redirect.
    package struct Parameters: MethodParameters {
        /// The URL, with the code and the state in it.
        package var url = Secret("")
        /// The login's id; nil: found by the state.
        package var loginID: String?
        /// Metadata from the program that caught the redirect.
        package var metadata: JSONObject?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// Passes this URL.
        package init(url: Secret, loginID: String? = nil) {
            self.url = url
            self.loginID = loginID
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("url", \.url),
            .optional("login_id", \.loginID),
            .optional("metadata", \.metadata),
            .optional("timeout", \.timeout, as: .seconds),
        ]
    }

    package typealias Result = LoginResult
}

/// `login.cancel`: cancels a login.
package enum LoginCancel: MethodCall {
    package static let method = Method.loginCancel

    /// Which login.
    package struct Parameters: MethodParameters {
        /// The login's id.
        package var loginID = ""

        /// Cancels this login.
        package init(loginID: String) {
            self.loginID = loginID
        }

        package init() {}

        package static let members: [Member<Self>] = [.required("login_id", \.loginID)]
    }

    package typealias Result = NoResult
}
