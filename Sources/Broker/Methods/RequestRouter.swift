// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
package import Systemd
package import TokendProtocol

/// Unpacks each request, calls the broker and packs the answer: the only place that knows both messages and accounts.
@LoopActor package final class RequestRouter: RequestHandler {
    /// The daemon's facts about itself for `status`.
    package struct Identity: Sendable {
        package var version: String
        package var pid: Int64
        /// Unix seconds.
        package var startedAt: Int64
        package var socket: String
        /// Where the log goes: `journal` or `stderr`.
        package var log: String?
        /// The path behind `stderr`, if it has one.
        package var logFile: String?

        package init(version: String, pid: Int64, startedAt: Int64, socket: String, log: String? = nil) {
            self.version = version
            self.pid = pid
            self.startedAt = startedAt
            self.socket = socket
            self.log = log
        }
    }

    let broker: Broker
    let clock: any Clock
    let identity: Identity
    let questions: Questions
    /// Set once the server exists; `status` has its numbers.
    package weak var server: SocketServer?
    /// The open restricted sockets, by name, for `status`.
    package var openSockets: [SocketView] = []
    /// Set when the daemon is about to end: no new work is begun.
    package var isStopping = false

    package init(broker: Broker, identity: Identity) {
        self.broker = broker
        clock = broker.ports.clock
        self.identity = identity
        questions = Questions(ports: broker.ports)
        questions.hasAnsweringClient = { [weak self] in self?.server?.hasAnsweringClient ?? false }
    }

    package func handle(_ request: RequestMessage, from session: ClientSession) -> Handling {
        do {
            return try dispatch(request, from: session)
        } catch {
            return .reply(request.isNotification ? [] : ReplyMessage.error(shown(error, to: session), to: request))
        }
    }

    private func dispatch(_ request: RequestMessage, from session: ClientSession) throws(ProtocolError) -> Handling {
        guard let route = Method(rawValue: request.method).flatMap({ Route.byMethod[$0] }) else {
            throw Self.noMethod(request.method)
        }
        try refuseWhileBroken(route)
        if let view = session.view, !view.shows(route.method) || view.hasEnded(at: clock.now.wall) {
            throw Self.noMethod(request.method)
        }
        return try route.respond(self, request, session)
    }

    /// Serves a request: reads it, finds its subject, applies the policy, and calls the method.
    func respond<M, Subject>(
        to message: RequestMessage,
        from session: ClientSession,
        by service: Service<M, Subject>
    ) throws(ProtocolError) -> Handling {
        var (parameters, subject) = try read(message.params, from: session, by: service)
        let accounts = service.subject.accounts(self, subject)
        let admission = try admission(to: M.method, for: service.privilege.access, of: accounts, from: session)
        try hold(&parameters, of: M.method, to: admission, service.privilege, session)
        let request = MethodRequest<M, Subject>(parameters: parameters, subject: subject, session: session)
        if let wanted = wanted(request, admission, by: service) { return try ask(wanted) }
        switch try service.handler.answer(self, request) {
        case .now(let result):
            return .reply(message.isNotification ? [] : ReplyMessage.result(result, to: message))
        case .later(let start):
            return .later(start)
        }
    }

    /// The parameters and their subject. A client that is not allowed gets only that error, whatever else is wrong.
    private func read<M, Subject>(
        _ params: JSONObject,
        from session: ClientSession,
        by service: Service<M, Subject>
    ) throws(ProtocolError) -> (M.Parameters, Subject) {
        let (method, access) = (M.method, service.privilege.access)
        let params = service.subject.hasDefault ? try withDefault(params, in: session.view) : params
        let parameters: M.Parameters
        do throws(ProtocolError) {
            parameters = try M.Parameters(params: params)
        } catch {
            guard session.view == nil else { throw error }
            let named = service.subject.isAccount ? account(unread: params).map { [$0] } : nil
            _ = try admission(to: method, for: access, of: named, from: session)
            throw error
        }
        do throws(ProtocolError) {
            return (parameters, try service.subject.find(self, parameters, session.view))
        } catch {
            if session.view == nil { _ = try admission(to: method, for: access, of: nil, from: session) }
            throw error
        }
    }

    static func noMethod(_ name: String) -> ProtocolError {
        let shown = DisplayText.sanitized(name)
        return ProtocolError(.methodNotFound, "this tokend has no method “\(shown)”; `hello` lists what it has")
    }

    /// A daemon that started with a broken `config.json5` serves only the methods that help to fix it.
    private func refuseWhileBroken(_ route: Route) throws(ProtocolError) {
        if isStopping { throw ProtocolError(.cancelled, "tokend is stopping; try again in a moment") }
        guard !route.isServedWhileBroken, broker.isBroken, let fault = broker.configuration.daemonFaults.first else {
            return
        }
        throw fault.protocolError
    }
}
