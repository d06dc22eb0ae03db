// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `account.list`
    func listAccounts(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        _ = try AccountList.Parameters(params: request.params)
        return reply(
            AccountList.Result(
                accounts: broker.accountNames,
                defaultAccount: broker.configuration.daemon.defaultAccount
            ),
            to: request
        )
    }

    /// `account.show`: the account's file as it is.
    func showAccount(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try AccountShow.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        guard let source = broker.configuration.sources[account.name] else {
            throw account.context.fault
                ?? ProtocolError(.accountUnknown, "the file of “\(account.name)” is gone")
        }
        let object: JSONObject
        do { object = try source.object() } catch { throw error.list[0].protocolError }
        let provider = object["provider"]?.string
        return reply(
            AccountShow.Result(account: account.name, config: object, file: source.file, provider: provider),
            to: request
        )
    }

    /// `account.add`: checked whole before anything is written.
    func addAccount(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try AccountAdd.Parameters(params: request.params)
        let name = parameters.account
        guard AccountName.isValid(name) else {
            throw .invalidParams(member: "account", AccountName.fault(of: name))
        }
        if broker.accounts[name] != nil, parameters.replace != true {
            throw ProtocolError(
                .accountExists,
                "there is an account “\(name)” already; name another one, or replace it",
                data: ["account": .string(name)]
            )
        }
        if let secret = parameters.clientSecret { return addAccount(parameters, secret: secret) }
        let file = try broker.writeAccount(name, config: parameters.config)
        return reply(AccountAdd.Result(account: name, file: file), to: request)
    }

    /// `account.remove`: signed out first, then the file goes.
    func removeAccount(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try AccountRemove.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        try broker.checkRemovable(account.name)
        let broker = broker
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                do throws(ProtocolError) {
                    try await account.refuseNewer()
                    var result = await account.logout(revoke: parameters.revoke ?? true)
                    await account.client.remove(&result)
                    try broker.removeAccount(account.name)
                    reply.succeed(result)
                } catch {
                    reply.fail(error)
                }
            }
        }
    }

    /// `account.import`: a refresh token from elsewhere, tried before it is stored.
    func importGrant(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try AccountImport.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        return .later { reply in
            self.expire(reply, parameters.timeout)
            Task.onLoop {
                do throws(ProtocolError) {
                    reply.succeed(
                        try await account.importGrant(
                            parameters.refreshToken,
                            scope: parameters.scope.map { Scope($0) }
                        )
                    )
                } catch {
                    reply.fail(error)
                }
            }
        }
    }

    /// `account.refresh`: now, because a person says so.
    func refreshAccount(
        _ request: RequestMessage,
        from session: ClientSession
    ) throws(ProtocolError) -> Handling {
        let parameters = try AccountRefresh.Parameters(params: request.params)
        let account = try broker.account(named: parameters.account)
        let demand = TokenDemand.personal
        if let answer = account.token(demand) {
            _ = try answer.get()
            return reply(NoResult(), to: request)
        }
        return .later { reply in
            self.expire(reply, parameters.timeout ?? 60)
            let wait = account.whenAnswered(demand, client: session.peer.pid) { result in
                switch result {
                case .success: reply.succeed(NoResult())
                case .failure(let error): reply.fail(error)
                }
            }
            reply.onAbandon = { account.stopWaiting(wait) }
        }
    }

    /// `account.pause` and `account.resume`: one account, or all.
    func pause(_ request: RequestMessage, _ isPaused: Bool) throws(ProtocolError) -> Handling {
        let parameters = try AccountPause.Parameters(params: request.params)
        let named = try parameters.account.map { name throws(ProtocolError) in [try broker.account(named: name)] }
        let accounts = named ?? Array(broker.accounts.values)
        for account in accounts { account.pause(isPaused) }
        let names = accounts.map(\.name)
        let fault = broker.ports.state.change { notes in
            if isPaused { notes.paused.formUnion(names) } else { notes.paused.subtract(names) }
        }
        if let fault {
            let state = isPaused ? "paused" : "resumed"
            throw ProtocolError(.internalError, "\(state), but only until tokend is restarted: \(fault.message)")
        }
        return reply(NoResult(), to: request)
    }

    /// Ends a wait in time; what it waits for goes on.
    func expire(_ reply: PendingReply, _ seconds: Int64?) {
        guard let seconds else { return }
        reply.expire(
            after: seconds,
            clock: broker.ports.clock,
            message: "that was not done in time; it goes on"
        )
    }
}
