// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    /// The request as a narrower socket lets it through: what is not named does not exist there.
    func seen(
        _ request: RequestMessage,
        as method: Method,
        through view: SocketView
    ) throws(ProtocolError) -> RequestMessage {
        guard view.socket.methods.contains(method), !view.hasEnded(at: clock.now.wall) else {
            throw Self.noMethod(request.method)
        }
        var params = request.params
        switch method {
        case .hello, .accountList, .eventsSubscribe:
            return request
        case .status where params["account"] == nil:
            return request
        case .loginWait, .loginCheck, .loginCancel:
            guard let id = params["login_id"]?.string, let login = try? broker.login(id: id) else { return request }
            guard view.socket.accounts.contains(login.account) else { throw Self.noLogin }
            return request
        case .loginComplete:
            guard let url = params["url"]?.string, let login = try? broker.login(for: Secret(url), id: nil) else {
                return request
            }
            guard view.socket.accounts.contains(login.account) else { throw Self.noLogin }
            return request
        default:
            params["account"] = .string(try account(params, in: view))
            // A socket without `login.start` cannot have the user asked to sign in, either.
            if !view.socket.methods.contains(.loginStart) { params["interactive"] = nil }
            return request.with(params: params)
        }
    }

    /// The account that is meant, of those that are seen: the rules are those of the main socket.
    private func account(_ params: JSONObject, in view: SocketView) throws(ProtocolError) -> String {
        // Type errors are reported by the method.
        if let name = params["account"] {
            guard let name = name.string else { throw .invalidParams(member: "account", "must be a string") }
            guard view.socket.accounts.contains(name), broker.accounts[name] != nil else {
                throw unknown("there is no account “\(DisplayText.sanitized(name))”", in: view)
            }
            return name
        }
        var names = names(in: view)
        if let issuer = params["issuer"]?.string { names = names.filter { broker.accounts[$0]?.issuerName == issuer } }
        if names.count == 1 { return names[0] }
        if params["issuer"] == nil, let name = broker.configuration.daemon.defaultAccount, names.contains(name) {
            return name
        }
        throw unknown(names.isEmpty ? "there is no such account" : "there are several accounts; name one", in: view)
    }

    private func names(in view: SocketView) -> [String] {
        broker.accountNames.filter(view.socket.accounts.contains)
    }

    private func unknown(_ message: String, in view: SocketView) -> ProtocolError {
        ProtocolError(.accountUnknown, message, data: ["accounts": .array(names(in: view).map { .string($0) })])
    }

    private static var noLogin: ProtocolError {
        ProtocolError(.loginUnknown, "no sign-in of that id is under way; it may have ended")
    }

    /// The answers that tell of the daemon as a whole, as they are on a narrower socket; nil: the method's own answer.
    func answer(_ request: RequestMessage, as method: Method, in view: SocketView) throws(ProtocolError) -> Handling? {
        switch method {
        case .hello:
            _ = try Hello.Parameters(params: request.params)
            return reply(hello { view.socket.methods.contains($0) }, to: request)
        case .accountList:
            _ = try AccountList.Parameters(params: request.params)
            let names = names(in: view)
            let standard = broker.configuration.daemon.defaultAccount.flatMap { names.contains($0) ? $0 : nil }
            return reply(AccountList.Result(accounts: names, defaultAccount: standard), to: request)
        case .status:
            let parameters = try Status.Parameters(params: request.params)
            let listed = parameters.account.map { [$0] } ?? names(in: view)
            let accounts = listed.compactMap { broker.accounts[$0]?.status.withoutPerson }
            return reply(Status.Result(daemon: narrowStatus(view.path), accounts: accounts), to: request)
        default:
            return nil
        }
    }

    /// What is told of the daemon to those that see no more than some accounts.
    func narrowStatus(_ socket: String) -> DaemonStatus {
        var daemon = DaemonStatus(
            version: identity.version,
            pid: identity.pid,
            startedAt: identity.startedAt,
            socket: socket,
            storeKind: broker.store.kind,
            storeState: StoreState(rawValue: broker.store.state.rawValue),
            configFolder: "",
            configState: "ok"
        )
        daemon.refreshes = Int64(broker.refreshCount)
        return daemon
    }

    /// What the socket holds its clients to, with what the account's policy does.
    func limits(_ own: TokenLimits, of session: ClientSession) -> TokenLimits? {
        own.joined(with: TokenLimits(scope: session.view?.socket.scope))
    }
}

extension AccountStatus {
    /// The same without saying whose it is.
    var withoutPerson: AccountStatus {
        var status = self
        status.identity = nil
        status.subject = nil
        return status
    }
}
