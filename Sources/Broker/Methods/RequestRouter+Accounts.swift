// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `account.show`: the account's file as it is.
    func showAccount(_ request: MethodRequest<AccountShow, Account>) throws(ProtocolError) -> AccountShow.Result {
        let account = request.subject
        guard let source = broker.configuration.sources[account.name] else {
            throw account.context.fault
                ?? ProtocolError(.accountUnknown, "the file of “\(account.name)” is gone")
        }
        let object: JSONObject
        do { object = try source.object() } catch { throw error.list[0].protocolError }
        let provider = object["provider"]?.string
        return AccountShow.Result(account: account.name, config: object, file: source.file, provider: provider)
    }

    /// `account.add`: checked as a whole before anything is written. A client secret is stored before the file is
    /// written, so that there is never an account without its secret.
    func addAccount(
        _ request: MethodRequest<AccountAdd, Account?>
    ) throws(ProtocolError) -> MethodAnswer<AccountAdd.Result> {
        let (parameters, broker) = (request.parameters, broker)
        let name = parameters.account
        guard AccountName.isValid(name) else {
            throw .invalidParams(member: "account", AccountName.fault(of: name))
        }
        if request.subject != nil, parameters.replace != true {
            throw ProtocolError(
                .accountExists,
                "there is an account “\(name)” already; name another one, or replace it",
                data: ["account": .string(name)]
            )
        }
        guard let secret = parameters.clientSecret else {
            return .now(.init(account: name, file: try broker.writeAccount(name, config: parameters.config)))
        }
        return .later { reply in
            self.expire(reply, parameters.timeout)
            reply.answer { () async throws(ProtocolError) in
                let file = try await broker.writeAccount(name, config: parameters.config, clientSecret: secret)
                return AccountAdd.Result(account: name, file: file)
            }
        }
    }

    /// The question before an existing grant is sent to another provider than it was made for.
    func questionBefore(_ request: MethodRequest<AccountAdd, Account?>) -> ConfirmQuestion.Matter? {
        broker.newProvider(request.parameters).map { .destination($0) }
    }

    /// `account.remove`: signs out first, then removes the file.
    func removeAccount(
        _ request: MethodRequest<AccountRemove, Account>
    ) async throws(ProtocolError) -> LogoutResult {
        let account = request.subject
        try broker.checkRemovable(account.name)
        try await account.refuseNewer()
        var result = await account.logout(revoke: request.parameters.revoke ?? true)
        await account.client.remove(&result)
        try broker.removeAccount(account.name)
        return result
    }

    /// `account.refresh`: at once, for a user.
    func refreshAccount(
        _ request: MethodRequest<AccountRefresh, Account>
    ) throws(ProtocolError) -> MethodAnswer<NoResult> {
        let (parameters, account) = (request.parameters, request.subject)
        let demand = TokenDemand.personal
        if let answer = account.token(demand) {
            _ = try answer.get()
            return .now(NoResult())
        }
        return .later { reply in
            self.expire(reply, parameters.timeout ?? 60)
            let wait = account.whenAnswered(demand, client: request.session.peer.pid) { result in
                switch result {
                case .success: reply.succeed(NoResult())
                case .failure(let error): reply.fail(error)
                }
            }
            reply.onAbandon = { account.stopWaiting(wait) }
        }
    }

    /// `account.import`: a refresh token from elsewhere, tried before it is stored.
    func importGrant(
        _ request: MethodRequest<AccountImport, Account>
    ) async throws(ProtocolError) -> AccountImport.Result {
        let parameters = request.parameters
        return try await request.subject.importGrant(parameters.refreshToken, scope: parameters.scope.map { Scope($0) })
    }

    /// `account.pause`: one account, or all.
    func pauseAccounts(_ request: MethodRequest<AccountPause, [Account]>) throws(ProtocolError) -> NoResult {
        try pause(request.subject, true)
    }

    /// `account.resume`: one account, or all.
    func resumeAccounts(_ request: MethodRequest<AccountResume, [Account]>) throws(ProtocolError) -> NoResult {
        try pause(request.subject, false)
    }

    private func pause(_ accounts: [Account], _ isPaused: Bool) throws(ProtocolError) -> NoResult {
        for account in accounts { account.pause(isPaused) }
        let names = accounts.map(\.name)
        let fault = broker.ports.state.change { notes in
            if isPaused { notes.paused.formUnion(names) } else { notes.paused.subtract(names) }
        }
        if let fault {
            let state = isPaused ? "paused" : "resumed"
            throw ProtocolError(.internalError, "\(state), but only until tokend is restarted: \(fault.message)")
        }
        return NoResult()
    }

    /// Ends a wait after its timeout; the work that it waits for continues.
    func expire(_ reply: PendingReply, _ seconds: Int64?) {
        guard let seconds else { return }
        reply.expire(
            after: seconds,
            clock: broker.ports.clock,
            message: "that was not done in time; it goes on"
        )
    }
}
