// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `hello`
    func hello(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        _ = try Hello.Parameters(params: request.params)
        return reply(hello { _ in true }, to: request)
    }

    /// What this daemon has, of the methods that are seen.
    func hello(_ isSeen: (Method) -> Bool) -> Hello.Result {
        var methods: [String: [String]] = [:]
        for (method, names) in Self.methods where isSeen(method) {
            methods[method.rawValue] = names
        }
        return Hello.Result(
            name: "tokend",
            version: identity.version,
            protocolVersion: 1,
            pid: identity.pid,
            methods: methods
        )
    }

    /// `status`: reads memory alone and never waits.
    func status(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try Status.Parameters(params: request.params)
        let accounts = try parameters.account.map { name throws(ProtocolError) in [try broker.account(named: name)] }
        let listed = accounts ?? broker.accountNames.compactMap { broker.accounts[$0] }
        return reply(Status.Result(daemon: daemonStatus, accounts: listed.map(\.status)), to: request)
    }

    private var daemonStatus: DaemonStatus {
        let faults = broker.configuration.faults
        var status = DaemonStatus(
            version: identity.version,
            pid: identity.pid,
            startedAt: identity.startedAt,
            socket: identity.socket,
            storeKind: broker.store.kind,
            storeState: StoreState(rawValue: broker.store.state.rawValue),
            configFolder: broker.configuration.folder,
            configState: faults.isEmpty ? "ok" : "faults",
            configFaults: faults
        )
        status.log = identity.log
        status.logFile = identity.logFile
        status.clients = Int64(server?.clientCount ?? 0)
        status.requests = Int64(server?.requestCount ?? 0)
        status.refreshes = Int64(broker.refreshCount)
        status.sockets = openSockets.map { .init(name: $0.socket.name, path: $0.path, until: $0.socket.until) }
        return status
    }

    /// `config.reload`
    func reload(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        _ = try ConfigReload.Parameters(params: request.params)
        broker.reload()
        let faults = broker.configuration.faults
        return reply(ConfigReload.Result(state: faults.isEmpty ? "ok" : "faults", faults: faults), to: request)
    }

    /// `store.unlock`: with the passphrase that came, or the user is asked through the store's own prompt.
    func unlockStore(_ request: RequestMessage) throws(ProtocolError) -> Handling {
        let parameters = try StoreUnlock.Parameters(params: request.params)
        let broker = broker
        let timeout = Duration.seconds(parameters.timeout ?? 60)
        return .later { reply in
            Task.onLoop {
                do throws(StoreError) {
                    if let passphrase = parameters.passphrase {
                        try await broker.store.unlock(passphrase: passphrase, timeout: timeout)
                    } else {
                        try await broker.prompt.unlock(timeout: timeout, by: .person)
                    }
                    reply.succeed(StoreUnlock.Result(state: .ready))
                } catch {
                    reply.fail(error.protocolError)
                }
            }
        }
    }

    /// `events.subscribe`
    func subscribe(_ request: RequestMessage, _ session: ClientSession) throws(ProtocolError) -> Handling {
        let parameters = try EventsSubscribe.Parameters(params: request.params)
        // It is looked at now, since there may be no descriptor to do it with when an event comes. A sandboxed program's
        // offer to put questions would be looked at in vain each time that somebody is to be asked.
        let isConfined = confined(session) != nil
        guard session.subscribe(confirms: parameters.confirms == true && !isConfined) else {
            let message = "so many programs hear of events already that this one does not; try again once one has ended"
            throw refuse(session.identity(), .eventsSubscribe, nil, session, message)
        }
        return reply(NoResult(), to: request)
    }
}
