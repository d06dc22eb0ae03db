// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// Restricted sockets: only what their settings list exists there.
extension RequestRouter {
    /// The requested account, by the same rules as on the main socket.
    func account(
        named name: String?,
        issuer: String? = nil,
        in view: SocketView?
    ) throws(ProtocolError) -> Account {
        if let view, let name, !view.socket.accounts.contains(name) { throw broker.unknownAccount(name) }
        return try broker.account(named: name, issuer: issuer)
    }

    /// The visible accounts, by name.
    func accounts(in view: SocketView?) -> [Account] {
        names(in: view).compactMap { broker.accounts[$0] }
    }

    private func names(in view: SocketView?) -> [String] {
        guard let view else { return broker.accountNames }
        return broker.accountNames.filter(view.socket.accounts.contains)
    }

    /// The account that unreadable parameters name.
    func account(unread params: JSONObject) -> Account? {
        try? broker.account(named: params["account"]?.string, issuer: params["issuer"]?.string)
    }

    /// The parameters with the default account if none is named: the only visible one, or the configured one.
    func withDefault(_ params: JSONObject, in view: SocketView?) throws(ProtocolError) -> JSONObject {
        guard let view, params["account"] == nil else { return params }
        var names = names(in: view)
        if let issuer = params["issuer"]?.string { names = names.filter { broker.accounts[$0]?.issuerName == issuer } }
        var name = names.count == 1 ? names[0] : nil
        if name == nil, params["issuer"] == nil { name = broker.configuration.daemon.defaultAccount }
        guard let name, names.contains(name) else {
            let message = names.isEmpty ? "there is no such account" : "there are several accounts; name one"
            throw ProtocolError(.accountUnknown, message, data: ["accounts": []])
        }
        var params = params
        params["account"] = .string(name)
        return params
    }

    static var noLogin: ProtocolError {
        ProtocolError(.loginUnknown, "no sign-in of that id is under way; it may have ended")
    }

    /// The error for this client: it names no account that the client does not see.
    func shown(_ error: ProtocolError, to session: ClientSession) -> ProtocolError {
        guard error.kind == .accountUnknown, error.data["accounts"] != nil else { return error }
        var seen = names(in: session.view)
        if let peer = confined(session) {
            seen = seen.filter { broker.accounts[$0].map { isSeen($0, by: peer) } ?? false }
        }
        var error = error
        error.data["accounts"] = .array(seen.map { .string($0) })
        return error
    }

    /// `account.list`
    func listAccounts(_ request: MethodRequest<AccountList, Void>) -> AccountList.Result {
        let names = names(in: request.session.view)
        let standard = broker.configuration.daemon.defaultAccount
        return AccountList.Result(
            accounts: names,
            defaultAccount: request.session.view == nil ? standard : standard.flatMap { names.contains($0) ? $0 : nil }
        )
    }

    /// The daemon's status for clients of restricted sockets and sandboxes.
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
}

extension AccountStatus {
    /// The same without naming the user.
    var withoutPerson: AccountStatus {
        var status = self
        status.identity = nil
        status.subject = nil
        return status
    }
}
