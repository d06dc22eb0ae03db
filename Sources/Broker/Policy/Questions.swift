// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// The questions that wait for their person: one a client and account at a time, a minute each.
@LoopActor final class Questions {
    /// What became of a question, for those that wait for it.
    enum Outcome: Equatable {
        case allowed
        case denied
        /// Nobody said anything in time, or the question was closed.
        case unanswered
        /// Nobody can be asked.
        case nobody
    }

    private struct Open {
        let question: ConfirmQuestion
        /// The process that asks: it does not answer itself.
        let pid: Int32
        var waiting: [@LoopActor (Outcome) -> Void]
        var timer: (any ScheduledTimer)?
        var retract: @LoopActor () -> Void = {}
    }

    private static let patience: Duration = .seconds(60)
    private let ports: BrokerPorts
    private var open: [String: Open] = [:]
    /// What a person said no to, or left unanswered, and until when nothing more is asked about it.
    private var quiet: [String: BootInstant] = [:]
    /// Whether a client is connected that puts questions to a person.
    var hasAnsweringClient: @LoopActor () -> Bool = { false }

    init(ports: BrokerPorts) {
        self.ports = ports
    }

    /// Asks, or joins the question that is put already.
    func ask(
        _ account: String,
        _ client: String,
        application: String?,
        matter: ConfirmQuestion.Matter,
        pid: Int32,
        then: @escaping @LoopActor (Outcome) -> Void
    ) {
        let same = open.first { entry in
            entry.value.question.account == account && entry.value.question.client == client
        }
        if let same {
            // A question about something else waits for its turn by being asked again.
            guard same.value.question.matter == matter else { return then(.unanswered) }
            open[same.key]?.waiting.append(then)
            return
        }
        let now = ports.clock.now.boot
        quiet = quiet.filter { now < $0.value }
        if quiet[Self.key(account, client)] != nil { return then(.denied) }
        let id = UnguessableText.make(entropy: ports.entropy.bytes(UnguessableText.entropyLength))
        let question = ConfirmQuestion(
            id: id,
            account: account,
            client: client,
            application: application,
            matter: matter
        )
        open[id] = Open(question: question, pid: pid, waiting: [then])
        open[id]?.timer = ports.clock.schedule(
            at: ports.clock.now.boot.advanced(by: Self.patience),
            accuracy: .milliseconds(500)
        ) { [weak self] in self?.settle(id, .unanswered) }
        ports.log.record(.confirmWanted(question))
        let retract = ports.notifier.ask(question) { [weak self] reply in self?.replied(reply, to: id) }
        if open[id] == nil { retract() } else { open[id]?.retract = retract }
    }

    /// A client brings a person's answer.
    ///
    /// - Returns: false where no such question waits.
    func answer(_ id: String, _ answer: ConfirmAnswer.Answer) -> Bool {
        guard open[id] != nil else { return false }
        said(answer, to: id)
        return true
    }

    /// The process that a question is about; nil where there is none of that id.
    func asker(of id: String) -> Int32? { open[id]?.pid }

    private func replied(_ reply: PersonReply, to id: String) {
        switch reply {
        case .said(let answer): said(answer, to: id)
        case .closed: settle(id, .unanswered)
        case .nobody:
            if !hasAnsweringClient() { settle(id, .nobody) }
        }
    }

    private func said(_ answer: ConfirmAnswer.Answer, to id: String) {
        guard let question = open[id]?.question else { return }
        if answer == .always, question.matter == .token(canBeRemembered: true) {
            let now = ports.clock.now.wall
            ports.state.change { notes in
                notes.decisions.removeAll { $0.account == question.account && $0.client == question.client }
                notes.decisions.append(.init(account: question.account, client: question.client, at: now))
            }
        }
        settle(id, answer == .deny ? .denied : .allowed)
    }

    private static func key(_ account: String, _ client: String) -> String { account + "\0" + client }

    private func settle(_ id: String, _ outcome: Outcome) {
        guard let question = open.removeValue(forKey: id) else { return }
        question.timer?.cancel()
        question.retract()
        if outcome == .denied || outcome == .unanswered {
            let key = Self.key(question.question.account, question.question.client)
            quiet[key] = ports.clock.now.boot.advanced(by: Self.patience)
        }
        for waiting in question.waiting { waiting(outcome) }
    }
}
