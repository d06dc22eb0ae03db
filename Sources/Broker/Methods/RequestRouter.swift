// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
package import Systemd
package import TokendProtocol

/// Unpacks each request, calls the broker and packs the answer: the only place that knows both messages and accounts.
@LoopActor package final class RequestRouter: RequestHandler {
    /// What the daemon knows about itself and `status` tells.
    package struct Identity: Sendable {
        package var version: String
        package var pid: Int64
        /// Unix seconds.
        package var startedAt: Int64
        package var socket: String
        /// Where the log goes: `journal` or `stderr`.
        package var log: String?
        /// The path of what `stderr` is, where it has one.
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
    /// Set once the server is there; its numbers are in `status`.
    package weak var server: SocketServer?
    /// The narrower sockets that are open, by name; `status` tells them.
    package var openSockets: [SocketView] = []
    /// Set when the daemon is about to end: nothing new is begun.
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
        guard let method = Method(rawValue: request.method), Self.methods[method] != nil else {
            throw Self.noMethod(request.method)
        }
        try refuseWhileBroken(method)
        var request = request
        if let view = session.view {
            request = try seen(request, as: method, through: view)
            if let answer = try answer(request, as: method, in: view) { return answer }
        } else if method == .status, let peer = confined(session) {
            return try status(request, for: peer)
        }
        switch try admitted(request, as: method, from: session) {
        case .now(let request): return try perform(request, as: method, from: session)
        case .asks(let wanted): return try ask(wanted)
        }
    }

    /// Does what was asked for, by one who may.
    func perform(
        _ request: RequestMessage,
        as method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Handling {
        switch method {
        case .tokenGet: return try getToken(request, from: session)
        case .status: return try status(request)
        case .hello: return try hello(request)
        case .loginStart: return try startLogin(request, from: session)
        case .loginWait: return try waitForLogin(request, from: session)
        case .loginCancel: return try cancelLogin(request)
        case .logout: return try logout(request)
        case .loginCheck: return try checkLogin(request)
        case .loginComplete: return try completeLogin(request, from: session)
        case .accountList: return try listAccounts(request)
        case .accountShow: return try showAccount(request)
        case .accountAdd: return try addAccount(request)
        case .accountSecret: return try giveSecret(request)
        case .accountImport: return try importGrant(request)
        case .accountRemove: return try removeAccount(request)
        case .accountRefresh: return try refreshAccount(request, from: session)
        case .accountPause: return try pause(request, true)
        case .accountResume: return try pause(request, false)
        case .providerList: return try listProviders(request)
        case .providerFetch: return try fetchProviders(request)
        case .doctor: return try doctor(request)
        case .configReload: return try reload(request)
        case .storeUnlock: return try unlockStore(request)
        case .policyList: return try listPolicy(request)
        case .policyRevoke: return try revokePolicy(request)
        case .confirmAnswer: return try answerQuestion(request, from: session)
        case .eventsSubscribe: return try subscribe(request, session)
        default:
            throw Self.noMethod(request.method)
        }
    }

    static func noMethod(_ name: String) -> ProtocolError {
        let shown = DisplayText.sanitized(name)
        return ProtocolError(.methodNotFound, "this tokend has no method “\(shown)”; `hello` lists what it has")
    }

    /// What this daemon has, and what each takes; `hello` tells it.
    static let methods = Dictionary(uniqueKeysWithValues: Method.calls.map { ($0.method, $0.parameterNames) })

    /// A daemon that started with a broken `config.json5` serves only the methods that help to fix it.
    private func refuseWhileBroken(_ method: Method) throws(ProtocolError) {
        if isStopping { throw ProtocolError(.cancelled, "tokend is stopping; try again in a moment") }
        guard broker.isBroken, let fault = broker.configuration.daemonFaults.first else { return }
        switch method {
        case .hello, .status, .configReload: return
        default: throw fault.protocolError
        }
    }

    /// A reply at once.
    func reply(_ result: some MethodResult, to request: RequestMessage) -> Handling {
        .reply(request.isNotification ? [] : ReplyMessage.result(result, to: request))
    }
}
