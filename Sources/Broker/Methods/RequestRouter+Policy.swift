// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    package var asksForPrograms: Bool { broker.hasPolicies }

    /// The request as this client may make it: held to less than it asked for, or refused.
    func admitted(
        _ request: RequestMessage,
        as method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        switch method {
        case .hello, .status, .eventsSubscribe: return .now(request)
        case .tokenGet, .tokenExchange, .tokenProof: return try admittedToTokens(request, as: method, from: session)
        default:
            return try admittedToAdministration(request, as: method, from: session)
        }
    }

    // MARK: Tokens

    private func admittedToTokens(
        _ request: RequestMessage,
        as method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        // Errors in the parameters are reported by the method.
        guard let account = try? named(by: request.params), !account.isOpenToAll || session.view?.socket.scope != nil
        else { return .now(request) }
        let peer = session.identity()
        let verdict = account.policy.tokens(for: peer, under: administrator, fileAt: FileIdentity.init(at:))
        switch verdict {
        case .allowed(let own):
            return .now(try narrowed(request, as: method, to: own, of: account, peer, session))
        case .denied:
            throw refuse(peer, method, account, session, Refusal.denied(peer))
        case .refused:
            throw refuse(peer, method, account, session, Refusal.tokens(of: account, peer))
        case .asks(let own, let isEachTime):
            let narrowed = try narrowed(request, as: method, to: own, of: account, peer, session)
            if !isEachTime, hasSaidAlways(peer, to: account) { return .now(narrowed) }
            guard peer.clientName != "unknown" else {
                throw refuse(peer, method, account, session, Refusal.tokens(of: account, peer))
            }
            let matter = ConfirmQuestion.Matter.token(canBeRemembered: !isEachTime)
            return .asks(Wanted(narrowed, method, account, peer, matter, session))
        }
    }

    private func named(by params: JSONObject) throws(ProtocolError) -> Account {
        try broker.account(named: params["account"]?.string, issuer: params["issuer"]?.string)
    }

    private func narrowed(
        _ request: RequestMessage,
        as method: Method,
        to limits: TokenLimits,
        of account: Account,
        _ peer: PeerIdentity,
        _ session: ClientSession
    ) throws(ProtocolError) -> RequestMessage {
        guard let limits = self.limits(limits, of: session) else {
            throw refuse(peer, method, account, session, Refusal.limits(limits, of: account, peer))
        }
        guard !limits.isEmpty else { return request }
        // With `exchange`, a narrower token of the provider does not guarantee a narrower one of the backend.
        switch method {
        case .tokenGet where Self.canNarrow(to: limits) && account.configuration?.exchange == nil:
            guard let params = limits.narrowing(request.params) else { break }
            return request.with(params: params)
        case .tokenProof where request.params["access_token"] != nil:
            return request
        default:
            break
        }
        throw refuse(peer, method, account, session, Refusal.limits(limits, of: account, peer))
    }

    /// Whether narrower tokens can be had at all.
    private static func canNarrow(to limits: TokenLimits) -> Bool {
        let names = methods[.tokenGet] ?? []
        return (limits.scope == nil || names.contains("narrow"))
            && (limits.resource == nil || names.contains("resource"))
    }

    // MARK: Administration

    /// Changes of an account are allowed to clients that its file names; a sandboxed client must be named. Changes of the
    /// daemon are denied to all sandboxes.
    private func admittedToAdministration(
        _ request: RequestMessage,
        as method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        let peer = session.identity()
        guard !administrator.denies(peer, fileAt: FileIdentity.init(at:)) else {
            throw refuse(peer, method, nil, session, Refusal.denied(peer))
        }
        guard let accounts = administered(by: request, as: method) else {
            guard !peer.isOutsideSandboxes else { return .now(request) }
            throw refuse(peer, method, nil, session, Refusal.sandboxed(peer))
        }
        for account in accounts {
            let verdict = account.policy.administration(by: peer, under: administrator, fileAt: FileIdentity.init(at:))
            guard verdict != .allowed else { continue }
            throw refuse(peer, method, account, session, Refusal.administration(of: account, peer))
        }
        if method == .accountAdd, let account = accounts.first, let provider = broker.newProvider(request.params) {
            return .asks(Wanted(request, method, account, peer, .destination(provider), session))
        }
        return .now(request)
    }

    /// The accounts that a request would change, or tell of; nil where it is about none that there is, or all at once.
    private func administered(by request: RequestMessage, as method: Method) -> [Account]? {
        let params = request.params
        switch method {
        case .loginWait, .loginCheck, .loginCancel:
            guard let id = params["login_id"]?.string, let login = try? broker.login(id: id) else { return nil }
            return broker.accounts[login.account].map { [$0] }
        case .loginComplete:
            guard let url = params["url"]?.string, let login = try? broker.login(for: Secret(url), id: nil) else {
                return nil
            }
            return broker.accounts[login.account].map { [$0] }
        case .accountPause where params["account"] == nil, .accountResume where params["account"] == nil:
            return Array(broker.accounts.values)
        case .accountAdd:
            return params["account"]?.string.flatMap { broker.accounts[$0] }.map { [$0] }
        case .loginStart, .logout, .accountShow, .accountSecret, .accountImport, .accountRefresh, .accountPause,
            .accountResume, .accountRemove:
            return (try? broker.account(named: params["account"]?.string)).map { [$0] }
        default:
            return nil
        }
    }

    var administrator: AdministratorPolicy { broker.configuration.daemon.administrator }

    func refuse(
        _ peer: PeerIdentity,
        _ method: Method,
        _ account: Account?,
        _ session: ClientSession,
        _ message: String
    ) -> ProtocolError {
        broker.refused(peer, pid: session.peer.pid, method: method, account: account?.name)
        var data: JSONObject = ["client": .string(peer.clientName)]
        if let account { data["account"] = .string(account.name) }
        return ProtocolError(.notAllowed, message, data: data)
    }
}

/// What becomes of a request before its method is called.
enum Admission {
    case now(RequestMessage)
    /// When the user has said yes.
    case asks(Wanted)
}

/// Why a client is refused, and how the user can allow it.
enum Refusal {
    static func denied(_ peer: PeerIdentity) -> String {
        "the administrator of this machine gives nothing to \(peer.phrase) (/etc/tokend/policy.json5)"
    }

    @LoopActor static func tokens(of account: Account, _ peer: PeerIdentity) -> String {
        "“\(account.name)” is not for \(peer.phrase)" + remedy(peer, "allow", account)
    }

    @LoopActor static func administration(of account: Account, _ peer: PeerIdentity) -> String {
        "\(peer.phrase) may not sign in to “\(account.name)”, sign out of it or change it"
            + remedy(peer, "administration", account)
    }

    @LoopActor static func unshowable(_ wanted: Wanted) -> String {
        let remedy = wanted.matter.provider == nil ? self.remedy(wanted.peer, "allow", wanted.account) : ""
        return "that takes the person's word, and the name that they would be asked about is too long to be shown whole"
            + remedy
    }

    static func sandboxed(_ peer: PeerIdentity) -> String {
        "\(peer.phrase) may not do that: it is for programs that are known to run in no sandbox; try tokenctl"
    }

    @LoopActor static func limits(_ limits: TokenLimits, of account: Account, _ peer: PeerIdentity) -> String {
        "\(peer.phrase) is held to \(limits.phrase) of “\(account.name)”; ask for no more than that"
    }

    @LoopActor static func remedy(_ peer: PeerIdentity, _ member: String, _ account: Account) -> String {
        guard peer.clientName != "unknown" else { return "" }
        return "; to allow it, add \"\(peer.clientName)\" to `\(member)` in \(account.file)"
    }
}
