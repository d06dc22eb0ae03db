// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `login.start`: begins a login, or joins one that was begun with the same parameters.
package enum LoginStart: MethodCall {
    package static let method = Method.loginStart

    /// How to sign in. Nil stands for an absent member.
    package struct Parameters: MethodParameters {
        /// The account's name.
        package var account = ""
        /// How.
        package var flow: LoginFlow?
        /// The redirect URI; overrides the account's setting.
        package var redirectURI: String?
        /// Whether the daemon opens the browser itself.
        package var openBrowser: Bool?
        /// The timeout for the user in seconds.
        package var timeout: Int64?
        /// Scopes in addition to the configured and the granted ones.
        package var scope: String?
        /// OpenID's `prompt`.
        package var prompt: String?
        /// OpenID's `login_hint`.
        package var loginHint: String?
        /// OpenID's `acr_values`.
        package var acrValues: String?
        /// OpenID's `max_age`, in seconds.
        package var maxAge: Int64?
        /// Whether another subject than the last one is accepted.
        package var force: Bool?
        /// Whether the caller passes the answer itself, with `login.complete`: then every kind of redirect can be used.
        package var completes: Bool?

        /// A login with the account's settings.
        package init(account: String) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .optional("flow", \.flow, as: .word(of: LoginFlow.known)),
            .optional("redirect_uri", \.redirectURI),
            .optional("open_browser", \.openBrowser),
            .optional("timeout", \.timeout, as: .seconds),
            .optional("scope", \.scope, as: .scope),
            .optional("prompt", \.prompt),
            .optional("login_hint", \.loginHint),
            .optional("acr_values", \.acrValues),
            .optional("max_age", \.maxAge, as: .seconds),
            .optional("force", \.force),
            .optional("completes", \.completes),
        ]
    }

    /// The data that the user needs to sign in.
    package struct Result: MethodResult {
        /// The login's id.
        package var loginID = ""
        /// How.
        package var flow = LoginFlow.browser
        /// When it times out, in unix seconds.
        package var expiresAt: Int64 = 0
        /// The provider's page; only for the client that started the login.
        package var authorizationURL: String?
        /// A short loopback URL that redirects there.
        package var startURL: String?
        /// The redirect URI.
        package var redirectURI: String?
        /// For a code: the issuer whose page it is; show its host to the user.
        package var issuer: String?
        /// The code to enter (RFC 8628).
        package var userCode: String?
        /// The page for the code.
        package var verificationURI: String?
        /// The same with the code in it.
        package var verificationURIComplete: String?
        /// Seconds between two polls of the provider.
        package var interval: Int64?

        /// A login that waits for the user.
        package init(loginID: String, flow: LoginFlow, expiresAt: Int64) {
            self.loginID = loginID
            self.flow = flow
            self.expiresAt = expiresAt
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("login_id", \.loginID),
            .required("flow", \.flow),
            .required("expires_at", \.expiresAt),
            .optional("authorization_url", \.authorizationURL),
            .optional("start_url", \.startURL),
            .optional("redirect_uri", \.redirectURI),
            .optional("issuer", \.issuer),
            .optional("user_code", \.userCode),
            .optional("verification_uri", \.verificationURI),
            .optional("verification_uri_complete", \.verificationURIComplete),
            .optional("interval", \.interval),
        ]
    }
}
