// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Systemd
import TokendProtocol

/// A request that waits for the user's approval.
@LoopActor struct Wanted {
    let method: Method
    let account: Account
    let peer: PeerIdentity
    let matter: ConfirmQuestion.Matter
    let session: ClientSession
    /// The application's name according to the client.
    let application: String?
    /// Performs the request.
    let perform: @LoopActor (PendingReply) throws(ProtocolError) -> Void
}

extension RequestRouter {
    /// The approval that a request needs; nil if none.
    func wanted<M, Subject>(
        _ request: MethodRequest<M, Subject>,
        _ admission: Admission,
        by service: Service<M, Subject>
    ) -> Wanted? {
        guard let peer = admission.peer, let account = admission.account,
            let matter = admission.matter ?? service.question(self)(request)
        else { return nil }
        return Wanted(
            method: M.method,
            account: account,
            peer: peer,
            matter: matter,
            session: request.session,
            application: service.privilege.application(of: request.parameters)
        ) { reply throws(ProtocolError) in
            switch try service.handler.answer(self, request) {
            case .now(let result): reply.succeed(result)
            case .later(let start): start(reply)
            }
        }
    }

    /// Asks the user, and performs the request after approval.
    ///
    /// - Throws: `not_allowed` if the client has no name, or a name is too long to be shown in full: shortened, it
    ///   could look like another's.
    func ask(_ wanted: Wanted) throws(ProtocolError) -> Handling {
        if case .token = wanted.matter, wanted.peer.clientName == "unknown" {
            let message = Refusal.tokens(of: wanted.account, wanted.peer)
            throw refuse(wanted.peer, wanted.method, wanted.account, wanted.session, message)
        }
        guard ConfirmQuestion.canShow(wanted.peer.clientName), ConfirmQuestion.canShow(wanted.matter.provider ?? "")
        else {
            throw refuse(wanted.peer, wanted.method, wanted.account, wanted.session, Refusal.unshowable(wanted))
        }
        return .later { reply in
            let id = ObjectIdentifier(reply)
            reply.onAbandon = { self.questions.withdraw(id) }
            let waiter = Questions.Waiter(id: id) {
                reply.isOpen
            } settle: { outcome in
                reply.onAbandon = nil
                guard reply.isOpen else { return }
                guard outcome == .allowed else { return reply.fail(self.refusal(of: wanted, outcome)) }
                self.proceed(wanted, reply)
            }
            self.questions.ask(
                wanted.account.name,
                wanted.peer.clientName,
                application: wanted.application,
                matter: wanted.matter,
                pid: wanted.session.peer.pid,
                waiter: waiter
            )
        }
    }

    /// The user approved that client under the policy in force at the time: both are checked again.
    private func proceed(_ wanted: Wanted, _ reply: PendingReply) {
        let (account, session) = (wanted.account, wanted.session)
        guard broker.accounts[account.name] === account, session.identity(withCaller: true) == wanted.peer else {
            return reply.fail(refusal(of: wanted, .unanswered))
        }
        do throws(ProtocolError) {
            try wanted.perform(reply)
        } catch {
            reply.fail(error)
        }
    }

    private func refusal(of wanted: Wanted, _ outcome: Questions.Outcome) -> ProtocolError {
        let name = "“\(wanted.account.name)”"
        let program = EventDetails.shortName(of: wanted.peer.clientName)
        let (whether, needs, remedy) =
            switch wanted.matter {
            case .token:
                (
                    "\(program) may use \(name)", "\(program) may use \(name) only if you allow it",
                    outcome == .nobody ? Refusal.remedy(wanted.peer, "allow", wanted.account) : ""
                )
            case .destination(let provider):
                (
                    "the sign-in \(name) may go to \(provider)",
                    "the sign-in \(name) may go to \(provider) only if you allow it",
                    "; sign out first (tokenctl logout \(wanted.account.name)), or edit \(wanted.account.file)"
                )
            }
        let message =
            switch outcome {
            case .denied: "you were asked whether \(whether), and said no"
            case .unanswered, .allowed: "you were asked whether \(whether), and did not answer in time"
            case .nobody:
                "\(needs), and you cannot be asked: no desktop shows notifications with buttons, and no "
                    + "“tokenctl policy answer” runs at a terminal"
            case .crowded: "\(needs), and too many questions wait for you already; answer them, then try again"
            }
        return refuse(wanted.peer, wanted.method, wanted.account, wanted.session, message + remedy)
    }

    /// Whether the user has answered "always" for this program.
    func hasSaidAlways(_ peer: PeerIdentity, to account: Account) -> Bool {
        broker.ports.state.notes.decisions.contains { decision in
            guard decision.account == account.name, let client = try? ClientPattern(decision.client) else {
                return false
            }
            return client.matches(peer, fileAt: FileIdentity.init(at:))
        }
    }

    /// `policy.list`
    func listPolicy(_ request: MethodRequest<PolicyList, Void>) -> PolicyList.Result {
        PolicyList.Result(decisions: broker.ports.state.notes.decisions)
    }

    /// `policy.revoke`
    func revokePolicy(_ request: MethodRequest<PolicyRevoke, Void>) throws(ProtocolError) -> NoResult {
        let parameters = request.parameters
        let state = broker.ports.state
        let kept = state.notes.decisions
        let rest = kept.filter { $0.account != parameters.account || $0.client != parameters.client }
        guard rest.count < kept.count else {
            throw .invalidParams(member: "client", "nothing is remembered of that program and account")
        }
        if let fault = state.change({ $0.decisions = rest }) {
            throw ProtocolError(.internalError, "revoked, but only until tokend is restarted: \(fault.message)")
        }
        return NoResult()
    }

    /// `confirm.answer`: never by the process that asks.
    func answerQuestion(_ request: MethodRequest<ConfirmAnswer, Void>) throws(ProtocolError) -> NoResult {
        let (parameters, session) = (request.parameters, request.session)
        guard let asker = questions.asker(of: parameters.id) else {
            throw .invalidParams(member: "id", "no question of that id waits for an answer; it may have been answered")
        }
        guard asker != session.peer.pid else {
            let peer = session.identity()
            throw refuse(peer, .confirmAnswer, nil, session, "a program cannot answer a question about itself")
        }
        _ = questions.answer(parameters.id, parameters.answer)
        return NoResult()
    }
}
