// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
package import TokendProtocol

extension Account {
    /// The answer, if it is available now; nil: the necessary work has begun, and `whenAnswered` reports its end.
    package func token(_ demand: TokenDemand) -> Result<Served, ProtocolError>? {
        if configuration == nil { return .failure(context.unusable) }
        let (answer, actions) = grant.demand(demand)
        defer { perform(actions) }
        return result(of: answer)
    }

    /// Calls `body` once the work that `token` began has ended, or if too many wait already. Call it in the same turn
    /// of the loop.
    ///
    /// - Parameter client: the process that asks; nil: the daemon itself.
    /// - Returns: what `stopWaiting` takes.
    @discardableResult package func whenAnswered(
        _ demand: TokenDemand,
        client: Int32? = nil,
        _ body: @escaping @LoopActor (Result<Served, ProtocolError>) -> Void
    ) -> Int {
        let (id, crowdedOut) = waiters.add(.init(demand, client: client, answer: body))
        for waiter in crowdedOut { waiter.answer(.failure(crowded)) }
        return id
    }

    /// The client is gone: what is queued for it alone is not requested.
    ///
    /// - Returns: whether it was still waiting.
    @discardableResult package func stopWaiting(_ id: Int) -> Bool { waiters.remove(id) != nil }

    private var crowded: ProtocolError {
        ProtocolError(
            .providerUnreachable,
            "so many requests wait for tokens of “\(name)” already that this one is not waited for; try again later"
        )
    }

    /// Answers those who wait; `renewed`: with a new token, of that variant.
    func resumeWaiters(renewed: Bool, of variant: TokenVariant? = nil) {
        for id in waiters.order {
            // An answer may have removed another waiter.
            guard let waiter = waiters[id] else { continue }
            if configuration == nil {
                waiters.answer(id, .failure(context.unusable))
                continue
            }
            let (answer, actions) = grant.resume(waiter.demand, renewed: renewed, of: variant)
            if let result = result(of: answer) { waiters.answer(id, result) }
            perform(actions)
        }
    }

    /// What a client gets; nil: it has to wait.
    private func result(of answer: GrantStateMachine.Answer) -> Result<Served, ProtocolError>? {
        switch answer {
        case .serve(let token, let refreshed):
            .success(Served(token: token, record: grant.record, refreshed: refreshed))
        case .fail(let error): .failure(withPendingLogin(error))
        case .wait: nil
        }
    }

    /// Adds the pending login to an error, if one waits for the user.
    func withPendingLogin(_ error: ProtocolError) -> ProtocolError {
        guard error.kind == .loginRequired, let login, login.result == nil else { return error }
        var data = error.data
        data["login_id"] = .string(login.id)
        data["reason"] = nil
        return ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” waits for you in the browser",
            data: data
        )
    }
}
