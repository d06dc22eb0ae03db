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
        let flow = try flow(parameters.flow, for: account)
        guard flow != .device || parameters.redirectURI == nil else {
            throw .invalidParams(member: "redirect_uri", "nothing is redirected in a device login; leave it out")
        }
        var asked = LoginParameters()
        asked.flow = flow
        asked.redirectURI = parameters.redirectURI
        asked.scope = parameters.scope.map { Scope($0) } ?? []
        asked.prompt = parameters.prompt
        asked.loginHint = parameters.loginHint
        asked.acrValues = parameters.acrValues
        asked.maxAge = parameters.maxAge
        asked.force = parameters.force ?? false
        asked.completes = parameters.completes ?? false
        let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
        // A code lives as long as its provider says, and a user may have to look for another device first.
        let standard: Int64 = flow == .device ? 1800 : 300
        let login = try account.startLogin(asked, id: id, timeout: max(1, parameters.timeout ?? standard))
        return .later { reply in
            login.whenStarted { result in
                switch result {
                case .success(let start):
                    // The URL is in the answer, too, so a browser that does not open ends nothing.
                    if parameters.openBrowser == true, let page = start.page { self.broker.openBrowser(page) }
                    reply.succeed(self.result(login, start))
                case .failure(let error):
                    reply.fail(error)
                }
            }
        }
    }

    /// The flow that was asked for, else the account's own; whether a user signs in at all is its file's to say.
    private func flow(_ asked: LoginFlow?, for account: Account) throws(ProtocolError) -> LoginFlow {
        guard let configured = account.configuration?.flow.loginFlow else { return asked ?? .browser }
        guard let asked, asked != configured else { return configured }
        guard asked != .clientCredentials, configured != .clientCredentials else {
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
        let result = LoginCheck.Result(
            redirect: login.parameters(of: parameters.url) != nil,
            metadata: login.metadata(of: parameters.url)?.members
        )
        return reply(result, to: request)
    }

    /// `login.complete`: an answer that did not come through the listener.
    func completeLogin(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try LoginComplete.Parameters(params: request.params)
        let login = try broker.login(for: parameters.url, id: parameters.loginID)
        try login.complete(parameters.url, adding: parameters.metadata)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            login.whenEnded { result in
                switch result {
                case .success(let result): reply.succeed(result)
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }
}
