// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// The answer, where it is at hand; nil: what is needed has begun, and `whenAnswered` tells its end.
    func token(_ demand: TokenDemand) -> Result<Served, ProtocolError>? {
        if configuration == nil { return .failure(configurationFault ?? gone) }
        let ready = readyToken
        let (answer, actions) = machine.demand(demand, at: ports.clock.now)
        // What begins nothing and is about another token leaves the account's own as it is.
        if demand.variant != nil, actions.isEmpty { readyToken = ready }
        defer { perform(actions) }
        switch answer {
        case .serve(let token, let refreshed):
            return .success(Served(token: token, record: machine.record, refreshed: refreshed))
        case .fail(let error):
            return .failure(withPendingLogin(error))
        case .wait:
            return nil
        }
    }

    /// Calls `body` once what `token` began has ended. To be called in the same turn.
    func whenAnswered(_ demand: TokenDemand, _ body: @escaping @LoopActor (Result<Served, ProtocolError>) -> Void) {
        waiters.append(Waiter(demand: demand, answer: body))
    }

    /// Answers those who wait; `renewed`: with a new token, of that combination.
    func settle(renewed: Bool, of variant: TokenVariant? = nil) {
        let waiting = waiters
        waiters = []
        for waiter in waiting {
            if configuration == nil {
                waiter.answer(.failure(configurationFault ?? gone))
                continue
            }
            let (answer, actions) = machine.settled(
                waiter.demand,
                renewed: renewed,
                of: variant,
                at: ports.clock.now
            )
            switch answer {
            case .wait:
                waiters.append(waiter)
            case .fail(let error):
                waiter.answer(.failure(withPendingLogin(error)))
            case .serve(let token, let refreshed):
                waiter.answer(.success(Served(token: token, record: machine.record, refreshed: refreshed)))
            }
            perform(actions)
        }
    }

    /// If a login already waits for the user, the client is told which.
    private func withPendingLogin(_ error: ProtocolError) -> ProtocolError {
        guard error.kind == .loginRequired, let login, login.result == nil else { return error }
        var data = error.data
        data["login_id"] = .string(login.id)
        data["reason"] = nil
        return ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” waits for its person in the browser",
            data: data
        )
    }
}
