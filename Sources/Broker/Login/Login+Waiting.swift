// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
package import TokendProtocol

/// Clients that wait for a login.
extension Login {
    /// How many requests for its start or its end there were.
    var interest: Int { waiters.interest }

    /// Calls `body` once the user can proceed, or if the login has ended before.
    package func whenStarted(_ body: @escaping @LoopActor (Result<Start, ProtocolError>) -> Void) {
        _ = waiters.ask()
        if let start { return tellStart(start, to: body) }
        if case .failure(let error) = result { return body(.failure(error)) }
        waiters.add(starter: body)
    }

    /// Calls `body` once it is over.
    ///
    /// - Returns: what `stopWaiting` takes.
    @discardableResult package func whenEnded(_ body: @escaping @LoopActor (Result<LoginResult, ProtocolError>) -> Void)
        -> Int
    {
        let number = waiters.ask()
        if let result { body(result) } else { waiters.add(body, as: number) }
        return number
    }

    /// A waiting client has left.
    ///
    /// - Returns: whether it was still waiting.
    @discardableResult func stopWaiting(_ number: Int) -> Bool {
        waiters.remove(number)
    }

    /// Answers with the login's end, while the reply is open; `hidesUser`: without naming the user, for a client of a
    /// restricted socket.
    func whenEnded(answer reply: PendingReply, hidesUser: Bool) {
        let wait = whenEnded { result in
            switch result {
            case .success(let result): reply.succeed(hidesUser ? result.withoutUser : result)
            case .failure(let error): reply.fail(error)
            }
        }
        reply.onAbandon = { [weak self] in self?.stopWaiting(wait) }
    }
}

extension LoginResult {
    /// The same without naming the user.
    fileprivate var withoutUser: LoginResult {
        var result = self
        result.subject = nil
        result.identity = nil
        return result
    }
}
