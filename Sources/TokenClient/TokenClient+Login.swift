// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// A login that waits for the user.
public struct PendingLogin: Sendable, Equatable {
    let id: String
    /// Show or open this; nil if the account needs no browser.
    public let authorizationURL: String?
    /// A short page on this machine that redirects there; nil for a redirect without a listener.
    public let startURL: String?
    /// Show this instead, if the user signs in with a code.
    public let code: DeviceCode?
    /// When it times out, in unix seconds.
    public let expiresAt: Int64
}

/// The data that a user needs to sign in on another device (RFC 8628, section 3.3). Show all of it: always the code and
/// the page, and whose page it has to be.
public struct DeviceCode: Sendable, Equatable {
    /// The provider, by its issuer; show its host.
    public let issuer: String
    /// The code, grouped as the provider wrote it.
    public let userCode: String
    /// The page for the code.
    public let page: String
    /// The page with the code filled in: for a QR code or a link beside the two above, never alone.
    public let pageWithCode: String?

    init?(_ result: LoginStart.Result) {
        guard let code = result.userCode, let page = result.verificationURI else { return nil }
        issuer = result.issuer ?? ""
        userCode = code
        self.page = page
        pageWithCode = result.verificationURIComplete
    }
}

/// The result of a sign-in.
public struct SignedInAccount: Sendable, Equatable {
    /// The account's name.
    public let account: String
    /// The user, by the provider's name.
    public let identity: String?
    /// The scopes that were granted.
    public let scope: String
    /// Whether the sign-in lasts beyond its first token.
    public let isRenewable: Bool
    /// The redirect's metadata, and what a front end added, as far as it is text.
    public let metadata: [String: String]

    init(_ result: LoginResult) {
        account = result.account
        identity = result.identity
        scope = result.scope
        isRenewable = result.renewable
        var texts: [String: String] = [:]
        for member in result.metadata ?? [:] { texts[member.name] = member.value.string }
        metadata = texts
    }
}

extension TokenClient {
    /// Begins a login, or joins the one that waits already.
    ///
    /// - Parameters:
    ///   - account: its name.
    ///   - opensBrowser: whether the daemon opens the user's browser; otherwise open `authorizationURL`.
    ///   - showsCode: whether the user signs in on another device, with a code that you show; without it, the
    ///     account's own settings decide.
    public func startLogin(
        account: String,
        opensBrowser: Bool = true,
        showsCode: Bool = false
    ) throws(TokenClientError) -> PendingLogin {
        var parameters = LoginStart.Parameters(account: account)
        if showsCode { parameters.flow = .device }
        parameters.openBrowser = opensBrowser && !showsCode
        let result = try call(LoginStart.self, parameters)
        return PendingLogin(
            id: result.loginID,
            authorizationURL: result.authorizationURL,
            startURL: result.startURL,
            code: DeviceCode(result),
            expiresAt: result.expiresAt
        )
    }

    /// Waits until the user has finished, at most `timeout`; then throws `timeout`, and may be called again.
    public func wait(
        for login: PendingLogin,
        timeout: Duration = .seconds(300)
    ) throws(TokenClientError) -> SignedInAccount {
        let seconds = max(1, timeout.components.seconds)
        let parameters = LoginWait.Parameters(loginID: login.id, timeout: seconds)
        return SignedInAccount(try call(LoginWait.self, parameters, timeout: timeout + .seconds(5)))
    }

    /// Ends a login that is still waiting.
    public func cancel(_ login: PendingLogin) throws(TokenClientError) {
        _ = try call(LoginCancel.self, LoginCancel.Parameters(loginID: login.id))
    }

    /// Signs out: the grant is forgotten here, and then revoked at the provider unless `revokes` is false.
    public func logOut(account: String, revokes: Bool = true) throws(TokenClientError) {
        var parameters = Logout.Parameters(account: account)
        if !revokes { parameters.revoke = false }
        _ = try call(Logout.self, parameters)
    }
}
