// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `token.get` with `interactive`: if only the user can help, prompts and waits.
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
                message: "the store was not opened, or “\(account.name)” was not signed in, in time"
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
            // The user is not prompted for a client that has left, nor for an account that is gone.
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

    /// One login per account at a time: an existing one is joined if it asks for the same, and never replaced. No
    /// second tab soon after an unsuccessful one.
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
            // A device code would not be visible, and no other flow is used instead.
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
    /// Waits until the user can proceed.
    func started() async -> Result<Start, ProtocolError> {
        await withCheckedContinuation { continuation in whenStarted { continuation.resume(returning: $0) } }
    }

    /// Waits for the end, while the reply is open.
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
    /// Waits for the answer that `token` gives or begins; with a reply, while that is open.
    func tokenWhenReady(_ demand: TokenDemand, for reply: PendingReply? = nil) async -> Result<Served, ProtocolError> {
        defer { reply?.onAbandon = nil }
        return await withCheckedContinuation { continuation in
            guard reply?.isOpen != false else { return continuation.resume(returning: .failure(.abandoned)) }
            // Checked in here: other tasks run on the way (`Task.onLoop`), and the work may have ended.
            if let answer = token(demand) { return continuation.resume(returning: answer) }
            let wait = whenAnswered(demand, client: reply?.session?.peer.pid) { continuation.resume(returning: $0) }
            reply?.onAbandon = { [self] in
                if stopWaiting(wait) { continuation.resume(returning: .failure(.abandoned)) }
            }
        }
    }
}

extension ProtocolError {
    /// The client has left.
    fileprivate static var abandoned: ProtocolError {
        ProtocolError(.cancelled, "the program that asked has left, or its time ran out")
    }
}
