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
    ) -> Handling {
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
                try await signIn(account, stepUp.login, or: account.loginRequired(stepUp), for: reply)
            } catch {
                return .failure(error)
            }
        }
        while true {
            let result = await account.tokenWhenReady(demand)
            // A user is not bothered for a client that has left, nor for an account that is not there any more.
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
            try await broker.prompt.unlock(timeout: .seconds(60))
        } catch {
            throw error.protocolError
        }
    }

    /// One login for an account at a time, and no second tab soon after one that was ignored.
    private func signIn(
        _ account: Account,
        _ parameters: LoginParameters,
        or error: ProtocolError,
        for reply: PendingReply
    ) async throws(ProtocolError) {
        let login: Login
        if let pending = account.login, pending.parameters == parameters {
            login = pending
        } else {
            // Nobody would see the code here, and the flow is never switched silently.
            guard !account.hasIgnoredLogin, account.configuration?.flow != .device else { throw error }
            let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
            login = try account.startLogin(parameters, id: id, timeout: 300)
            let start = try await login.started().get()
            guard reply.isOpen || login.interest > 1 else {
                login.cancel("the program that asked for the sign-in to “\(account.name)” has left")
                throw error
            }
            if let page = start.page { broker.openBrowser(page) }
        }
        _ = try await login.ended().get()
    }
}

extension Login {
    /// Waits until a user can go on.
    func started() async -> Result<Start, ProtocolError> {
        await withCheckedContinuation { continuation in whenStarted { continuation.resume(returning: $0) } }
    }

    /// Waits for the end.
    func ended() async -> Result<LoginResult, ProtocolError> {
        await withCheckedContinuation { continuation in whenEnded { continuation.resume(returning: $0) } }
    }
}

extension Account {
    /// How long an unfinished login delays the next browser tab.
    private static let ignoredFor: Duration = .seconds(300)

    /// Whether the last login ran out of time a short while ago.
    var hasIgnoredLogin: Bool {
        guard let ignoredLoginAt else { return false }
        return ignoredLoginAt.duration(to: ports.clock.now.boot) < Self.ignoredFor
    }

    /// Waits for the answer that `token` gives, or begins.
    func tokenWhenReady(_ demand: TokenDemand) async -> Result<Served, ProtocolError> {
        await withCheckedContinuation { continuation in
            // Asked in here: on the way to it others run (`Task.onLoop`), and what was begun may be answered.
            if let answer = token(demand) { return continuation.resume(returning: answer) }
            whenAnswered(demand) { continuation.resume(returning: $0) }
        }
    }
}
