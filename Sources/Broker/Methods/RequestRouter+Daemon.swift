// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// `hello`: the methods of this socket.
    func hello(_ request: MethodRequest<Hello, Void>) -> Hello.Result {
        let routes = Route.all.filter { request.session.view?.shows($0.method) ?? true }
        return Hello.Result(
            name: "tokend",
            version: identity.version,
            protocolVersion: 1,
            pid: identity.pid,
            methods: Dictionary(uniqueKeysWithValues: routes.map { ($0.method.rawValue, $0.names) })
        )
    }

    /// `status`: reads memory alone and never waits.
    func status(_ request: MethodRequest<Status, [Account]>) throws(ProtocolError) -> Status.Result {
        let (accounts, session) = (request.subject, request.session)
        if let view = session.view {
            return Status.Result(daemon: narrowStatus(view.path), accounts: accounts.map(\.status.withoutPerson))
        }
        guard let peer = confined(session) else {
            return Status.Result(daemon: daemonStatus, accounts: accounts.map(\.status))
        }
        let seen = accounts.filter { isSeen($0, by: peer) }
        if let name = request.parameters.account, seen.isEmpty { throw broker.unknownAccount(name) }
        let statuses = seen.map { mayKnowPerson(of: $0, peer) ? $0.status : $0.status.withoutPerson }
        return Status.Result(daemon: narrowStatus(identity.socket), accounts: statuses)
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
        status.storeMessage = broker.store.fault?.message
        status.storeProvider = broker.store.fault?.provider
        status.isStoreFrozen = broker.store.fault?.code == .frozen ? true : nil
        status.log = identity.log
        status.logFile = identity.logFile
        status.clients = Int64(server?.clientCount ?? 0)
        status.requests = Int64(server?.requestCount ?? 0)
        status.refreshes = Int64(broker.refreshCount)
        status.sockets = openSockets.map { .init(name: $0.socket.name, path: $0.path, until: $0.socket.until) }
        return status
    }

    /// `config.reload`
    func reload(_ request: MethodRequest<ConfigReload, Void>) -> ConfigReload.Result {
        broker.reload()
        let faults = broker.configuration.faults
        return ConfigReload.Result(state: faults.isEmpty ? "ok" : "faults", faults: faults)
    }

    /// `store.unlock`: with the given passphrase, or through the store's own prompt.
    func unlockStore(_ request: MethodRequest<StoreUnlock, Void>) async throws(ProtocolError) -> StoreUnlock.Result {
        let timeout = Duration.seconds(request.parameters.timeout ?? 60)
        do throws(StoreError) {
            if let passphrase = request.parameters.passphrase {
                try await broker.store.unlock(passphrase: passphrase, timeout: timeout)
            } else {
                try await broker.prompt.unlock(timeout: timeout, by: .person)
            }
        } catch {
            throw error.protocolError
        }
        return StoreUnlock.Result(state: .ready)
    }

    /// `events.subscribe`
    func subscribe(_ request: MethodRequest<EventsSubscribe, Void>) throws(ProtocolError) -> NoResult {
        let session = request.session
        // Checked now, since there may be no descriptor for it when an event comes. A sandboxed program's offer to show
        // prompts would be checked in vain each time.
        let isConfined = confined(session) != nil
        guard session.subscribe(confirms: request.parameters.confirms == true && !isConfined) else {
            let message = "so many programs hear of events already that this one does not; try again once one has ended"
            throw refuse(session.identity(), .eventsSubscribe, nil, session, message)
        }
        // What was asked before it came can be answered there too.
        if !isConfined, session.view == nil {
            let now = clock.now.wall
            for question in questions.asked {
                if let event = BrokerEvent.confirmWanted(question).message(at: now) {
                    session.send(event: event.line())
                }
            }
        }
        return NoResult()
    }
}
