// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import TokendProtocol

/// One sign-in whose page is shown by an application (`SignInFrontEnd`).
///
/// ```swift
/// let signIn = FrontEndSignIn(client, account: "work", frontEnd: window)
/// signIn.begin()                          // window.show(url)
/// // In the view's delegate, before it loads a page:
/// switch signIn.navigation(to: url) {
/// case .goOn: return .allow
/// case .stop: return .cancel              // window.signedIn or window.failed has been called
/// }
/// ```
///
/// The daemon decides which URL is the redirect, checks it and trades the code: no code and no token pass through the
/// application's own hands. Calls block as those of `TokenClient` do, and belong to the same thread.
public final class FrontEndSignIn {
    /// What a view must do about a navigation.
    public enum Navigation: Sendable, Equatable {
        /// Load the page.
        case goOn
        /// Do not load it: it is the redirect, or the sign-in is over.
        case stop
    }

    /// How it ended; nil while it runs, and after `cancel()`.
    public private(set) var result: Result<SignedInAccount, TokenClientError>?
    private let client: TokenClient
    private let account: String
    private let redirectURI: String?
    private let frontEnd: any SignInFrontEnd
    private var loginID: String?

    /// A sign-in that has not begun.
    ///
    /// - Parameters:
    ///   - client: a connection to the daemon, in use until the sign-in ends.
    ///   - account: its name.
    ///   - redirectURI: overrides the account's own setting; any kind is accepted, since the view catches it.
    ///   - frontEnd: receives the callbacks; kept as long as this object.
    public init(_ client: TokenClient, account: String, redirectURI: String? = nil, frontEnd: any SignInFrontEnd) {
        self.client = client
        self.account = account
        self.redirectURI = redirectURI
        self.frontEnd = frontEnd
    }

    /// Begins, and has the front end show the provider's page, or reports the error to it.
    public func begin() {
        var parameters = LoginStart.Parameters(account: account)
        parameters.completes = true
        parameters.openBrowser = false
        parameters.redirectURI = redirectURI
        do throws(TokenClientError) {
            let started = try client.call(LoginStart.self, parameters)
            loginID = started.loginID
            guard let url = started.authorizationURL else {
                throw TokenClientError(.protocolViolation, "tokend named no page for the sign-in")
            }
            frontEnd.show(url)
        } catch {
            end(.failure(error))
        }
    }

    /// Whether the view may load this page. The redirect itself must not be loaded: it ends the sign-in, and the front
    /// end is told the result before this returns.
    public func navigation(to url: String) -> Navigation {
        guard let loginID, result == nil else { return .stop }
        let secret = Secret(url)
        do throws(TokenClientError) {
            let check = try client.call(LoginCheck.self, LoginCheck.Parameters(loginID: loginID, url: secret))
            guard check.redirect else { return .goOn }
            var answer = LoginComplete.Parameters(url: secret, loginID: loginID)
            answer.metadata = Self.members(frontEnd.metadata(addedTo: Self.texts(check.metadata)))
            end(.success(SignedInAccount(try client.call(LoginComplete.self, answer))))
        } catch {
            // A redirect with another state is ignored: the sign-in continues, as at the daemon's own listener.
            guard error.code != .loginUnknown || !isPending(loginID) else { return .stop }
            end(.failure(error))
        }
        return .stop
    }

    /// The user closed the view. The front end is not called again.
    public func cancel() {
        guard let loginID, result == nil else { return }
        self.loginID = nil
        _ = try? client.call(LoginCancel.self, LoginCancel.Parameters(loginID: loginID))
    }

    private func end(_ result: Result<SignedInAccount, TokenClientError>) {
        guard self.result == nil else { return }
        self.result = result
        switch result {
        case .success(let account): frontEnd.signedIn(account)
        case .failure(let error): frontEnd.failed(error)
        }
    }

    private func isPending(_ loginID: String) -> Bool {
        let probe = LoginCheck.Parameters(loginID: loginID, url: Secret(""))
        return (try? client.call(LoginCheck.self, probe)) != nil
    }

    private static func texts(_ members: JSONObject?) -> [String: String] {
        var texts: [String: String] = [:]
        for member in members ?? [:] { texts[member.name] = member.value.string }
        return texts
    }

    private static func members(_ texts: [String: String]) -> JSONObject? {
        texts.isEmpty ? nil : JSONObject(texts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}
