// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

/// Who waits for a login.
extension Login {
    /// How often somebody has asked for its start or its end.
    var interest: Int { waiters.interest }

    /// Calls `body` once a person can go on, or the login has ended before.
    func whenStarted(_ body: @escaping @LoopActor (Result<Start, ProtocolError>) -> Void) {
        _ = waiters.ask()
        if let start { return tellStart(start, to: body) }
        if case .failure(let error) = result { return body(.failure(error)) }
        waiters.add(starter: body)
    }

    /// Calls `body` once it is over.
    ///
    /// - Returns: what `stopWaiting` takes.
    @discardableResult func whenEnded(_ body: @escaping @LoopActor (Result<LoginResult, ProtocolError>) -> Void) -> Int
    {
        let number = waiters.ask()
        if let result { body(result) } else { waiters.add(body, as: number) }
        return number
    }

    /// Who waited has left.
    ///
    /// - Returns: whether it had not been told yet.
    @discardableResult func stopWaiting(_ number: Int) -> Bool {
        waiters.remove(number)
    }

    /// Answers with its end, as long as somebody waits for the reply; `hidesUser`: without saying who signed in, to a
    /// client that sees no more than some accounts.
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
    /// The same without saying whose it is.
    fileprivate var withoutUser: LoginResult {
        var result = self
        result.subject = nil
        result.identity = nil
        return result
    }
}
