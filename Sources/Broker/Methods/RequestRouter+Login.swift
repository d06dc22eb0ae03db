// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `login.start`: answers once a browser can be opened.
    func startLogin(
        _ request: MethodRequest<LoginStart, Account>
    ) throws(ProtocolError) -> MethodAnswer<LoginStart.Result> {
        let (parameters, account, session) = (request.parameters, request.subject, request.session)
        let flow = try flow(parameters.flow, for: account)
        guard flow != .device || parameters.redirectURI == nil else {
            throw .invalidParams(member: "redirect_uri", "nothing is redirected in a device login; leave it out")
        }
        var asked = LoginParameters(parameters, flow: flow)
        asked.hidesPerson = session.view != nil
        let isPersonal = isPersonal(session)
        if !isPersonal { try checkNagging(parameters, asked, account, session) }
        let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
        // A code lives as long as its provider says, and a user may have to look for another device first.
        let standard: Int64 = flow == .device ? 1800 : 300
        let login = try account.startLogin(asked, id: id, timeout: max(1, parameters.timeout ?? standard))
        let opensBrowser = parameters.openBrowser == true && (isPersonal || login.id == id)
        return .later { reply in
            login.whenStarted { result in
                switch result {
                case .success(let start):
                    login.isShown = true
                    // The answer has the URL, too, so a browser that does not open ends nothing.
                    if opensBrowser, let page = start.page { self.broker.openBrowser(page) }
                    reply.succeed(self.result(login, start))
                case .failure(let error):
                    reply.fail(error)
                }
            }
        }
    }

    /// Whether the user's own program asks, which is never held back. A sandboxed program, or the client of a further
    /// socket, is not the user's own.
    private func isPersonal(_ session: ClientSession) -> Bool {
        session.view == nil && confined(session) == nil
    }

    /// A program other than the user's own replaces no other program's sign-in, and opens no tab soon after an
    /// unsuccessful one.
    private func checkNagging(
        _ parameters: LoginStart.Parameters,
        _ asked: LoginParameters,
        _ account: Account,
        _ session: ClientSession
    ) throws(ProtocolError) {
        if let login = account.login, login.parameters != asked { throw account.loginUnderWay(login) }
        guard parameters.openBrowser == true, account.login == nil, !account.mayAskUser() else { return }
        let message =
            "a sign-in to “\(account.name)” came to nothing a short while ago, so no browser is opened for a program "
            + "for 5 minutes; leave out open_browser, or sign in with: tokenctl login \(account.name)"
        throw refuse(session.identity(), .loginStart, account, session, message)
    }

    /// The requested flow, else the account's own; only its file decides whether there is a user.
    private func flow(_ asked: LoginFlow?, for account: Account) throws(ProtocolError) -> LoginFlow {
        guard let configured = account.configuration?.flow else { return asked ?? .browser }
        guard let asked, asked != configured.loginFlow else { return configured.loginFlow }
        guard configured.hasUser, AccountFlow(rawValue: asked.rawValue)?.hasUser != false else {
            throw .invalidParams(
                member: "flow",
                "“\(account.name)” has the flow “\(configured.rawValue)”; to change that, set flow in its file"
            )
        }
        return asked
    }

    private func result(_ login: Login, _ start: Login.Start) -> LoginStart.Result {
        var result = LoginStart.Result(loginID: login.id, flow: start.flow, expiresAt: login.expiresAt)
        result.authorizationURL = start.authorizationURL?.text
        result.startURL = start.startURL?.text
        result.redirectURI = start.redirectURI
        result.issuer = start.device?.issuer
        result.userCode = start.device?.userCode
        result.verificationURI = start.device?.verificationURI.text
        result.verificationURIComplete = start.device?.verificationURIComplete?.text
        result.interval = start.device?.interval
        return result
    }

    /// `login.wait`
    func waitForLogin(_ request: MethodRequest<LoginWait, Login>) -> MethodAnswer<LoginResult> {
        .later { reply in
            if let timeout = request.parameters.timeout {
                reply.expire(
                    after: timeout,
                    clock: self.broker.ports.clock,
                    message: "the sign-in did not end in time; it goes on, and can be waited for again"
                )
            }
            request.subject.whenEnded(answer: reply, hidesUser: request.session.view != nil)
        }
    }

    /// `login.complete`: an answer that did not come through the listener.
    func completeLogin(
        _ request: MethodRequest<LoginComplete, Login>
    ) throws(ProtocolError) -> MethodAnswer<LoginResult> {
        let (parameters, login) = (request.parameters, request.subject)
        try login.complete(parameters.url, adding: parameters.metadata)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            login.whenEnded(answer: reply, hidesUser: request.session.view != nil)
        }
    }

    /// `logout`
    func logout(_ request: MethodRequest<Logout, Account>) async throws(ProtocolError) -> LogoutResult {
        let (parameters, account) = (request.parameters, request.subject)
        try await account.refuseNewer()
        return await account.logout(
            revoke: parameters.revoke ?? true,
            endSession: parameters.endSession ?? false
        )
    }

    /// `login.check`: whether a web view has reached the login's redirect.
    func checkLogin(_ request: MethodRequest<LoginCheck, Login>) -> LoginCheck.Result {
        let (url, login) = (request.parameters.url, request.subject)
        return LoginCheck.Result(redirect: login.parameters(of: url) != nil, metadata: login.metadata(of: url)?.members)
    }

    /// `login.cancel`
    func cancelLogin(_ request: MethodRequest<LoginCancel, Login>) -> NoResult {
        request.subject.cancel("the sign-in was cancelled")
        return NoResult()
    }
}
