// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `login.start`: answers once a browser can be opened.
    func startLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginStart.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        if let flow = parameters.flow { try check(flow, for: account) }
        var asked = LoginParameters()
        asked.redirectURI = parameters.redirectURI
        asked.scope = parameters.scope.map { Scope($0) } ?? []
        asked.prompt = parameters.prompt
        asked.loginHint = parameters.loginHint
        asked.acrValues = parameters.acrValues
        asked.maxAge = parameters.maxAge
        asked.force = parameters.force ?? false
        let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
        let login = try account.startLogin(asked, id: id, timeout: max(1, parameters.timeout ?? 300))
        return .later { reply in
            login.whenStarted { result in
                switch result {
                case .success(let start):
                    self.openBrowser(parameters.openBrowser ?? false, start.authorizationURL)
                    reply.succeed(self.result(login, start))
                case .failure(let error):
                    reply.fail(error)
                }
            }
        }
    }

    /// How an account comes to its tokens is its file's to say where no person signs in.
    private func check(_ flow: LoginFlow, for account: Account) throws(ProtocolError) {
        guard flow != .device else {
            throw .invalidParams(
                member: "flow",
                "the flow “\(flow.rawValue)” is not built yet in this version of tokend"
            )
        }
        guard let configured = account.configuration?.flow.loginFlow, flow != configured else { return }
        throw .invalidParams(
            member: "flow",
            "“\(account.name)” has the flow “\(configured.rawValue)”; to change that, set flow in its file"
        )
    }

    private func result(_ login: Login, _ start: Login.Start) -> LoginStart.Result {
        var result = LoginStart.Result(loginID: login.id, flow: start.flow, expiresAt: login.expiresAt)
        result.authorizationURL = start.authorizationURL?.text
        result.redirectURI = start.redirectURI
        return result
    }

    /// Opens the person's browser; the URL is in the answer, too, so a browser that does not open ends nothing.
    func openBrowser(_ isWanted: Bool, _ url: WebURL?) {
        guard isWanted, let url else { return }
        let ports = broker.ports
        let command = broker.configuration.daemon.browser
        Task.onLoop {
            do throws(BrowserError) {
                try await ports.browser.open(url, command: command)
            } catch {
                ports.log.record(.browserFault(error))
            }
        }
    }

    /// `login.wait`
    func waitForLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginWait.Parameters(params: request.params)
        let login = try broker.login(id: parameters.loginID)
        return .later { reply in
            if let timeout = parameters.timeout {
                reply.expire(
                    after: timeout,
                    clock: self.broker.ports.clock,
                    message: "the sign-in did not end in time; it goes on, and can be waited for again"
                )
            }
            login.whenEnded { result in
                switch result {
                case .success(let result): reply.succeed(result)
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }

    /// `login.cancel`
    func cancelLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginCancel.Parameters(params: request.params)
        try broker.login(id: parameters.loginID).cancel("the sign-in was cancelled")
        return reply(NoResult(), to: request)
    }

    /// `logout`
    func logout(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try Logout.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                reply.succeed(
                    await account.logout(
                        revoke: parameters.revoke ?? true,
                        endSession: parameters.endSession ?? false
                    )
                )
            }
        }
    }

    /// `login.check`: whether a web view has arrived at the login's redirect.
    func checkLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginCheck.Parameters(params: request.params)
        let login = try broker.login(id: parameters.loginID)
        return reply(LoginCheck.Result(redirect: login.parameters(of: parameters.url) != nil), to: request)
    }

    /// `login.complete`: an answer that did not come through the listener.
    func completeLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginComplete.Parameters(params: request.params)
        let login = try broker.login(for: parameters.url, id: parameters.loginID)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            login.complete(parameters.url)
            login.whenEnded { result in
                switch result {
                case .success(let result): reply.succeed(result)
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }
}
