// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Systemd
import TokendProtocol

/// The subject of a request, and the parameters that name it.
struct RequestSubject<Parameters: Sendable, Found>: Sendable {
    /// Whether the parameter `account` names it.
    var isAccount = false
    /// Whether it defaults to the only account, or the configured default, without `account`.
    var hasDefault = false
    /// Finds it, once per request; on a restricted socket, among what is visible there.
    let find: @LoopActor @Sendable (RequestRouter, Parameters, SocketView?) throws(ProtocolError) -> Found
    /// The accounts whose policy applies; nil if there is none, or if it is about the daemon as a whole.
    let accounts: @LoopActor @Sendable (RequestRouter, Found) -> [Account]?
}

extension RequestSubject where Found == Void {
    /// The daemon as a whole.
    static var daemon: Self {
        Self { _, _, _ in
        } accounts: { _, _ in
            nil
        }
    }
}

extension RequestSubject where Found == Account {
    /// The account of that name.
    static func account(_ name: @escaping @Sendable (Parameters) -> String) -> Self {
        Self(isAccount: true, hasDefault: true) { router, parameters, view throws(ProtocolError) in
            try router.account(named: name(parameters), in: view)
        } accounts: { _, account in
            [account]
        }
    }

    /// The account of that name, the one of that issuer, or the default one.
    static func account(
        _ name: @escaping @Sendable (Parameters) -> String?,
        issuer: @escaping @Sendable (Parameters) -> String?
    ) -> Self {
        Self(isAccount: true, hasDefault: true) { router, parameters, view throws(ProtocolError) in
            try router.account(named: name(parameters), issuer: issuer(parameters), in: view)
        } accounts: { _, account in
            [account]
        }
    }
}

extension RequestSubject where Found == [Account] {
    /// The account of that name, or all visible ones.
    static func accounts(_ name: @escaping @Sendable (Parameters) -> String?) -> Self {
        Self(isAccount: true) { router, parameters, view throws(ProtocolError) in
            guard let name = name(parameters) else { return router.accounts(in: view) }
            return [try router.account(named: name, in: view)]
        } accounts: { _, accounts in
            accounts
        }
    }
}

extension RequestSubject where Found == Account? {
    /// The account of that name, if it exists already.
    static func newAccount(_ name: @escaping @Sendable (Parameters) -> String) -> Self {
        Self(isAccount: true) { router, parameters, _ in
            router.broker.accounts[name(parameters)]
        } accounts: { _, account in
            account.map { [$0] }
        }
    }
}

extension RequestSubject where Found == Login {
    /// The sign-in of that id.
    static func login(_ id: @escaping @Sendable (Parameters) -> String) -> Self {
        login { router, parameters throws(ProtocolError) in
            try router.broker.login(id: id(parameters))
        }
    }

    /// The sign-in that a redirect URL belongs to.
    static func login(
        answeredBy url: @escaping @Sendable (Parameters) -> Secret,
        id: @escaping @Sendable (Parameters) -> String?
    ) -> Self {
        login { router, parameters throws(ProtocolError) in
            try router.broker.login(for: url(parameters), id: id(parameters))
        }
    }

    private static func login(
        found: @escaping @LoopActor @Sendable (RequestRouter, Parameters) throws(ProtocolError) -> Login
    ) -> Self {
        Self { router, parameters, view throws(ProtocolError) in
            let login = try found(router, parameters)
            guard view?.socket.accounts.contains(login.account) != false else { throw RequestRouter.noLogin }
            return login
        } accounts: { router, login in
            router.broker.accounts[login.account].map { [$0] }
        }
    }
}
