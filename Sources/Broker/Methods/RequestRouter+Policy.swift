// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import Systemd
import TokendProtocol

extension RequestRouter {
    package var asksForPrograms: Bool { broker.hasPolicies }

    /// The rights of a client that may call the method.
    ///
    /// - Parameter accounts: those that the request is about; nil if it is about no existing one.
    /// - Throws: `not_allowed`.
    func admission(
        to method: Method,
        for access: Access,
        of accounts: [Account]?,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        switch access {
        case .everybody: return Admission()
        case .clients:
            // The missing account is reported afterwards.
            guard let account = accounts?.first else { return Admission() }
            return try admissionToTokens(of: account, by: method, from: session)
        case .administrators:
            return try admissionToAdministration(of: accounts, by: method, from: session)
        }
    }

    private func admissionToTokens(
        of account: Account,
        by method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        guard !account.isOpenToAll || session.view?.socket.scope != nil else { return Admission() }
        let peer = session.identity(withCaller: true)
        let own: TokenLimits
        var matter: ConfirmQuestion.Matter?
        switch account.policy.tokens(for: peer, under: administrator, fileAt: FileIdentity.init(at:)) {
        case .denied: throw refuse(peer, method, account, session, Refusal.denied(peer))
        case .refused: throw refuse(peer, method, account, session, Refusal.tokens(of: account, peer))
        case .allowed(let limits): own = limits
        case .asks(let limits, let isEachTime):
            own = limits
            if isEachTime || !hasSaidAlways(peer, to: account) { matter = .token(canBeRemembered: !isEachTime) }
        }
        guard let limits = own.joined(with: TokenLimits(scope: session.view?.socket.scope)) else {
            throw refuse(peer, method, account, session, Refusal.limits(own, of: account, peer))
        }
        return Admission(peer: peer, account: account, limits: limits, matter: matter)
    }

    /// Changes of an account are allowed to clients that its file names; a sandboxed client must be named. Changes of the
    /// daemon are denied to all sandboxes.
    private func admissionToAdministration(
        of accounts: [Account]?,
        by method: Method,
        from session: ClientSession
    ) throws(ProtocolError) -> Admission {
        let peer = session.identity(withCaller: true)
        guard !administrator.denies(peer, fileAt: FileIdentity.init(at:)) else {
            throw refuse(peer, method, nil, session, Refusal.denied(peer))
        }
        guard let accounts else {
            guard !peer.isOutsideSandboxes else { return Admission() }
            throw refuse(peer, method, nil, session, Refusal.sandboxed(peer))
        }
        for account in accounts {
            let verdict = account.policy.administration(by: peer, under: administrator, fileAt: FileIdentity.init(at:))
            guard verdict != .allowed else { continue }
            throw refuse(peer, method, account, session, Refusal.administration(of: account, peer))
        }
        return Admission(peer: peer, account: accounts.first)
    }

    /// Reduces the parameters to what the client is limited to.
    func hold<Parameters>(
        _ parameters: inout Parameters,
        of method: Method,
        to admission: Admission,
        _ privilege: Privilege<Parameters>,
        _ session: ClientSession
    ) throws(ProtocolError) {
        guard !admission.limits.isEmpty, let account = admission.account, let peer = admission.peer else { return }
        // With `exchange`, a down-scoped token of the provider does not guarantee a down-scoped one of the backend.
        guard case .clients(let held, _) = privilege, account.configuration?.exchange == nil,
            held(&parameters, admission.limits)
        else {
            throw refuse(peer, method, account, session, Refusal.limits(admission.limits, of: account, peer))
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

/// The rights of a client that may call a method.
@LoopActor struct Admission {
    /// The client's identity; nil if it was not needed.
    var peer: PeerIdentity?
    /// The account whose policy applies.
    var account: Account?
    /// The limits on tokens.
    var limits = TokenLimits()
    /// The question for the user before the request.
    var matter: ConfirmQuestion.Matter?
}

/// Messages for refused clients, with how the user can allow them.
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
        return "you would have to allow that, and the name that you would be asked about is too long to be shown whole"
            + remedy
    }

    static func sandboxed(_ peer: PeerIdentity) -> String {
        "\(peer.phrase) may not do that: it is for programs that are known to run in no sandbox; try tokenctl"
    }

    @LoopActor static func limits(_ limits: TokenLimits, of account: Account, _ peer: PeerIdentity) -> String {
        "\(peer.phrase) may only have \(limits.phrase) of “\(account.name)”; ask for no more than that"
    }

    @LoopActor static func remedy(_ peer: PeerIdentity, _ member: String, _ account: Account) -> String {
        guard peer.clientName != "unknown" else { return "" }
        return "; to allow it, add \"\(peer.clientName)\" to `\(member)` in \(account.file)"
    }
}
