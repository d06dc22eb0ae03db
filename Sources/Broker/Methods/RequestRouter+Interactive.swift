// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `token.get` with `interactive`: where only the user can help, the user is asked and waited for.
    func getTokenInteractively(
        _ parameters: TokenGet.Parameters,
        _ account: Account,
        _ demand: TokenDemand,
        after stepUp: StepUp? = nil,
        from session: ClientSession
    ) -> MethodAnswer<TokenGet.Result> {
        .later { reply in
            reply.expire(
                after: parameters.timeout ?? 300,
                clock: self.broker.ports.clock,
                message: "nobody opened the store or signed in to “\(account.name)” in time"
            )
            Task.onLoop { [self] in
                let result = await self.askPerson(account, demand, after: stepUp, for: reply)
                self.finish(reply, result, account, parameters, session)
            }
        }
    }

    private func askPerson(
        _ account: Account,
        _ demand: TokenDemand,
        after stepUp: StepUp?,
        for reply: PendingReply
    ) async -> Result<Account.Served, ProtocolError> {
        var isUnlocked = false
        var hasSignedIn = stepUp != nil
        if let stepUp {
            do throws(ProtocolError) {
                let error = account.loginRequired(stepUp)
                try await signIn(account, stepUp.login, or: error, for: reply, isStepUp: true)
            } catch {
                return .failure(error)
            }
        }
        while true {
            let result = await account.tokenWhenReady(demand, for: reply)
            // A person is not bothered for a client that has left, nor for an account that is not there any more.
            guard case .failure(let error) = result, reply.isOpen, broker.accounts[account.name] === account else {
                return result
            }
            do throws(ProtocolError) {
                switch error.kind {
                case .storeLocked where !isUnlocked:
                    try await openStore()
                    isUnlocked = true
                case .loginRequired where !hasSignedIn, .loginPending where !hasSignedIn:
                    try await signIn(account, account.login?.parameters ?? LoginParameters(), or: error, for: reply)
                    hasSignedIn = true
                default:
                    return result
                }
            } catch {
                return .failure(error)
            }
        }
    }

    private func openStore() async throws(ProtocolError) {
        do {
            try await broker.prompt.unlock(timeout: .seconds(60), by: .program)
        } catch {
            throw error.protocolError
        }
    }

    /// One login an account at a time: another's is joined where it asks for the same, and never replaced. No second tab
    /// soon after one that came to nothing.
    private func signIn(
        _ account: Account,
        _ parameters: LoginParameters,
        or error: ProtocolError,
        for reply: PendingReply,
        isStepUp: Bool = false
    ) async throws(ProtocolError) {
        let login: Login
        if let pending = account.login {
            guard pending.parameters == parameters else { throw account.withPendingLogin(error) }
            login = pending
        } else {
            // A code that nobody is shown helps nobody, and no other flow takes its place.
            guard account.mayAskUser(isStepUp: isStepUp), account.configuration?.flow != .device else { throw error }
            let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
            login = try account.startLogin(parameters, id: id, timeout: 300)
            login.isStepUp = isStepUp
            let start = try await login.started().get()
            guard reply.isOpen || login.interest > 1 else {
                login.cancel("the program that asked for the sign-in to “\(account.name)” has left")
                throw error
            }
            login.isShown = true
            if let page = start.page { broker.openBrowser(page) }
        }
        _ = try await login.ended(for: reply).get()
    }
}

extension Login {
    /// Waits until a user can go on.
    func started() async -> Result<Start, ProtocolError> {
        await withCheckedContinuation { continuation in whenStarted { continuation.resume(returning: $0) } }
    }

    /// Waits for the end, as long as somebody waits for the reply.
    func ended(for reply: PendingReply) async -> Result<LoginResult, ProtocolError> {
        defer { reply.onAbandon = nil }
        return await withCheckedContinuation { continuation in
            guard reply.isOpen else { return continuation.resume(returning: .failure(.abandoned)) }
            let wait = whenEnded { continuation.resume(returning: $0) }
            reply.onAbandon = { [self] in
                if stopWaiting(wait) { continuation.resume(returning: .failure(.abandoned)) }
            }
        }
    }
}

extension Account {
    /// Waits for the answer that `token` gives, or begins; with a reply, as long as somebody waits for that.
    func tokenWhenReady(_ demand: TokenDemand, for reply: PendingReply? = nil) async -> Result<Served, ProtocolError> {
        defer { reply?.onAbandon = nil }
        return await withCheckedContinuation { continuation in
            guard reply?.isOpen != false else { return continuation.resume(returning: .failure(.abandoned)) }
            // Asked in here: on the way to it others run (`Task.onLoop`), and what was begun may be answered.
            if let answer = token(demand) { return continuation.resume(returning: answer) }
            let wait = whenAnswered(demand, client: reply?.session?.peer.pid) { continuation.resume(returning: $0) }
            reply?.onAbandon = { [self] in
                if stopWaiting(wait) { continuation.resume(returning: .failure(.abandoned)) }
            }
        }
    }
}

extension ProtocolError {
    /// Nobody reads it.
    fileprivate static var abandoned: ProtocolError {
        ProtocolError(.cancelled, "the program that asked has left, or its time ran out")
    }
}
