// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

extension RequestRouter {
    /// The fast path from a line to a held token: it uses only the account's ready token.
    package func readyReply(to line: UnsafeRawBufferPointer, from session: ClientSession) -> ReadyReply? {
        guard !isStopping, !broker.isBroken, session.view == nil, let request = TokenGet.PlainRequest(line: line),
            let account = try? broker.account(named: request.account), let token = account.readyToken
        else { return nil }
        let now = clock.now
        let remaining = token.remaining(at: now)
        if let remaining, remaining <= request.minValid ?? TokenDemand.defaultMinValid { return nil }
        session.count(account.name, for: request.application, at: now, in: broker.ports.log)
        return ReadyReply(request: request, result: token.result, expiresIn: remaining)
    }

    /// Logs what has not been logged yet.
    package func ended(_ session: ClientSession) {
        for event in session.endTally() { broker.ports.log.record(event) }
        if session.confirmsQuestions { questions.answeringClientLeft() }
    }
}
