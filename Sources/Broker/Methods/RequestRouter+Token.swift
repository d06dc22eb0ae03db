// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `token.get`: answered within this call if the held token is good enough.
    func getToken(_ request: MethodRequest<TokenGet, Account>) throws(ProtocolError) -> MethodAnswer<TokenGet.Result> {
        let (account, session) = (request.subject, request.session)
        var parameters = request.parameters
        // Without `login.start` on the socket, the user is not prompted either.
        if session.view?.shows(.loginStart) == false { parameters.interactive = nil }
        let demand = try TokenDemand(parameters, of: account.configuration)
        if let stepUp = account.stepUp(parameters, of: demand.variant) {
            guard parameters.interactive == true else { throw account.loginRequired(stepUp) }
            return getTokenInteractively(parameters, account, demand, after: stepUp, from: session)
        }
        let answer = account.token(demand)
        if parameters.interactive == true, (try? answer?.get()) == nil {
            return getTokenInteractively(parameters, account, demand, from: session)
        }
        guard let answer else {
            return .later { [parameters] reply in
                reply.expire(
                    after: parameters.timeout ?? 60,
                    clock: self.broker.ports.clock,
                    message: "no token of “\(account.name)” came in time; the renewal goes on"
                )
                let wait = account.whenAnswered(demand, client: session.peer.pid) { result in
                    self.finish(reply, result, account, parameters, session)
                }
                reply.onAbandon = { account.stopWaiting(wait) }
            }
        }
        let served = try answer.get()
        note(account, parameters, session)
        let result = result(served, account, parameters)
        if parameters.idToken != true { account.grant.keepReady(result, of: served.token) }
        return .now(result)
    }

    func finish(
        _ reply: PendingReply,
        _ result: Result<Account.Served, ProtocolError>,
        _ account: Account,
        _ parameters: TokenGet.Parameters,
        _ session: ClientSession
    ) {
        guard reply.isOpen else { return }
        switch result {
        case .success(let served):
            note(account, parameters, session)
            reply.succeed(self.result(served, account, parameters))
        case .failure(let error):
            reply.fail(error)
        }
    }

    private func note(_ account: Account, _ parameters: TokenGet.Parameters, _ session: ClientSession) {
        session.count(account.name, for: parameters.application, at: clock.now, in: broker.ports.log)
    }

    private func result(
        _ served: Account.Served,
        _ account: Account,
        _ parameters: TokenGet.Parameters
    ) -> TokenGet.Result {
        let token = served.token
        var result = TokenGet.Result(
            account: account.name,
            issuer: account.issuerName,
            accessToken: token.accessToken,
            tokenType: token.tokenType,
            scope: token.scope.text,
            renewable: served.record?.renewable ?? false
        )
        result.expiresAt = token.expiresAt
        result.expiresIn = token.remaining(at: broker.ports.clock.now)
        result.refreshed = served.refreshed
        if parameters.idToken == true {
            // A variant's token has its own ID token, or none; the user's ID token is the account's.
            let source = token.idToken == nil ? served.record?.token ?? token : token
            result.idToken = source.idToken
            result.idTokenExpiresAt = source.idTokenExpiresAt
        }
        if !token.extra.isEmpty { result.extra = token.extra }
        result.metadata = served.record?.metadata?.members
        return result
    }
}
