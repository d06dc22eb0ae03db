// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `login.start`: begins a login, or joins the one that was begun with the same parameters.
package enum LoginStart: MethodCall {
    package static let method = Method.loginStart

    /// How to sign in. Nil stands for a member that was not given.
    package struct Parameters: MethodParameters {
        package static let names = [
            "account", "flow", "redirect_uri", "open_browser", "timeout", "scope", "prompt", "login_hint",
            "acr_values", "max_age", "force", "completes",
        ]

        /// The account's name.
        package var account: String
        /// How.
        package var flow: LoginFlow?
        /// Where the provider sends the browser back to, above the account's setting.
        package var redirectURI: String?
        /// Whether the daemon opens the browser itself.
        package var openBrowser: Bool?
        /// How many seconds the user has.
        package var timeout: Int64?
        /// What to ask for besides the configured and the granted scopes.
        package var scope: String?
        /// OpenID's `prompt`.
        package var prompt: String?
        /// OpenID's `login_hint`.
        package var loginHint: String?
        /// OpenID's `acr_values`.
        package var acrValues: String?
        /// OpenID's `max_age`, in seconds.
        package var maxAge: Int64?
        /// Whether another subject than the last one may take the account.
        package var force: Bool?
        /// Whether the caller brings the answer back itself, with `login.complete`: then every kind of redirect can be used.
        package var completes: Bool?

        /// A login with the account's settings.
        package init(account: String) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            flow = try reader.read("flow", as: "browser, device or client_credentials") { value in
                value.string.map(LoginFlow.init(rawValue:)).flatMap { LoginFlow.known.contains($0) ? $0 : nil }
            }
            redirectURI = try reader.string("redirect_uri")
            openBrowser = try reader.flag("open_browser")
            timeout = try reader.seconds("timeout")
            scope = try reader.scope("scope")
            prompt = try reader.string("prompt")
            loginHint = try reader.string("login_hint")
            acrValues = try reader.string("acr_values")
            maxAge = try reader.seconds("max_age")
            force = try reader.flag("force")
            completes = try reader.flag("completes")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["account": .string(account)]
            object.set("flow", flow?.rawValue)
            object.set("redirect_uri", redirectURI)
            object.set("open_browser", openBrowser)
            object.set("timeout", timeout)
            object.set("scope", scope)
            object.set("prompt", prompt)
            object.set("login_hint", loginHint)
            object.set("acr_values", acrValues)
            object.set("max_age", maxAge)
            object.set("force", force)
            object.set("completes", completes)
            return object
        }
    }

    /// What the user needs in order to sign in.
    package struct Result: MethodResult {
        /// The login's id.
        package var loginID: String
        /// How.
        package var flow: LoginFlow
        /// When it is given up, in unix seconds.
        package var expiresAt: Int64
        /// The provider's page, for whoever started the login alone.
        package var authorizationURL: String?
        /// A short loopback URL that leads there.
        package var startURL: String?
        /// Where the provider sends the browser back to.
        package var redirectURI: String?
        /// With a code: whose page it is entered at, by the account's issuer; a user is shown its host.
        package var issuer: String?
        /// The code to enter (RFC 8628).
        package var userCode: String?
        /// Where to enter it.
        package var verificationURI: String?
        /// The same with the code in it.
        package var verificationURIComplete: String?
        /// How many seconds lie between two looks at the provider.
        package var interval: Int64?

        /// A login that waits for its user.
        package init(loginID: String, flow: LoginFlow, expiresAt: Int64) {
            self.loginID = loginID
            self.flow = flow
            self.expiresAt = expiresAt
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            loginID = try reader.required(reader.string("login_id"), "login_id")
            flow = LoginFlow(rawValue: try reader.required(reader.string("flow"), "flow"))
            expiresAt = try reader.required(reader.integer("expires_at"), "expires_at")
            authorizationURL = try reader.string("authorization_url")
            startURL = try reader.string("start_url")
            redirectURI = try reader.string("redirect_uri")
            issuer = try reader.string("issuer")
            userCode = try reader.string("user_code")
            verificationURI = try reader.string("verification_uri")
            verificationURIComplete = try reader.string("verification_uri_complete")
            interval = try reader.integer("interval")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = ["login_id": .string(loginID), "flow": .string(flow.rawValue)]
            object.set("expires_at", expiresAt)
            object.set("authorization_url", authorizationURL)
            object.set("start_url", startURL)
            object.set("redirect_uri", redirectURI)
            object.set("issuer", issuer)
            object.set("user_code", userCode)
            object.set("verification_uri", verificationURI)
            object.set("verification_uri_complete", verificationURIComplete)
            object.set("interval", interval)
            return object
        }
    }
}
