// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// The pending questions to the user: at most one for each client and account at a time, one minute each, and a few at
/// once; the others are queued.
@LoopActor final class Questions {
    /// The result of a question, for its waiters.
    enum Outcome: Equatable {
        case allowed
        case denied
        /// There was no answer in time, or the question was closed.
        case unanswered
        /// There is no way to ask.
        case nobody
        /// Too many questions are pending: this one is not asked.
        case crowded
    }

    /// A request that waits for an answer.
    struct Waiter {
        /// Its identity.
        let id: ObjectIdentifier
        /// Whether the client still waits.
        let isOpen: @LoopActor () -> Bool
        let settle: @LoopActor (Outcome) -> Void
    }

    private struct Open {
        let question: ConfirmQuestion
        /// The process that asks: it cannot answer itself.
        let pid: Int32
        var waiting: [Waiter]
        var timer: (any ScheduledTimer)?
        var retract: @LoopActor () -> Void = {}
        /// No desktop shows it: it waits for a client that can ask the user.
        var isForClients = false
    }

    private static let patience: Duration = .seconds(60)
    /// A user can handle so many at once.
    static let mostShown = 3
    /// With more, the last one would never be reached.
    static let mostQueued = 32
    /// The most requests of one program that may wait for one answer.
    static let mostWaiting = SessionLimits.waitingForAnswer
    private let ports: BrokerPorts
    private var open: [String: Open] = [:]
    /// Not shown yet, the oldest first; their minute begins when they are shown.
    private var queue: [Open] = []
    /// Questions that a user refused or left unanswered, and until when they are not asked again.
    private var quiet: [String: (until: BootInstant, outcome: Outcome)] = [:]
    /// Whether a client is connected that shows questions to a user.
    var hasAnsweringClient: @LoopActor () -> Bool = { false }

    init(ports: BrokerPorts) {
        self.ports = ports
    }

    /// Asks, joins the question that is already shown, or queues.
    func ask(
        _ account: String,
        _ client: String,
        application: String?,
        matter: ConfirmQuestion.Matter,
        pid: Int32,
        waiter: Waiter
    ) {
        func isSame(_ other: Open) -> Bool { other.question.account == account && other.question.client == client }
        if let same = open.first(where: { isSame($0.value) }) {
            // A question about something else must be asked again later.
            guard same.value.question.matter == matter else { return waiter.settle(.unanswered) }
            guard same.value.waiting.count < Self.mostWaiting else { return waiter.settle(.crowded) }
            open[same.key]?.waiting.append(waiter)
            return
        }
        if let same = queue.firstIndex(where: isSame) {
            guard queue[same].question.matter == matter else { return waiter.settle(.unanswered) }
            guard queue[same].waiting.count < Self.mostWaiting else { return waiter.settle(.crowded) }
            queue[same].waiting.append(waiter)
            return
        }
        let now = ports.clock.now.boot
        quiet = quiet.filter { now < $0.value.until }
        if let last = quiet[Self.key(account, client)] { return waiter.settle(last.outcome) }
        queue.removeAll { entry in !entry.waiting.contains { $0.isOpen() } }
        guard queue.count < Self.mostQueued else { return waiter.settle(.crowded) }
        let question = ConfirmQuestion(
            id: UnguessableText.make(entropy: ports.entropy.bytes(UnguessableText.entropyLength)),
            account: account,
            client: client,
            application: application,
            matter: matter
        )
        queue.append(Open(question: question, pid: pid, waiting: [waiter]))
        putNext()
    }

    /// Shows the next questions as far as there is room, and drops those without a waiting client.
    private func putNext() {
        while open.count < Self.mostShown, !queue.isEmpty {
            let next = queue.removeFirst()
            if next.waiting.contains(where: { $0.isOpen() }) { put(next) }
        }
    }

    private func put(_ asked: Open) {
        let id = asked.question.id
        open[id] = asked
        open[id]?.timer = ports.clock.schedule(
            at: ports.clock.now.boot.advanced(by: Self.patience),
            accuracy: .milliseconds(500)
        ) { [weak self] in self?.settle(id, .unanswered) }
        ports.log.record(.confirmWanted(asked.question))
        let retract = ports.notifier.ask(asked.question) { [weak self] reply in self?.replied(reply, to: id) }
        if open[id] == nil { retract() } else { open[id]?.retract = retract }
    }

    /// The client has left. A question that is already shown stays: the user is looking at it.
    func withdraw(_ id: ObjectIdentifier) {
        for index in queue.indices { queue[index].waiting.removeAll { $0.id == id } }
        for key in open.keys { open[key]?.waiting.removeAll { $0.id == id } }
    }

    /// A client reports the user's answer.
    ///
    /// - Returns: false if there is no such question.
    func answer(_ id: String, _ answer: ConfirmAnswer.Answer) -> Bool {
        guard open[id] != nil else { return false }
        said(answer, to: id)
        return true
    }

    /// The questions that wait for an answer.
    var asked: [ConfirmQuestion] { open.values.map(\.question) }

    /// The process that a question is about; nil if there is no such question.
    func asker(of id: String) -> Int32? { open[id]?.pid }

    private func replied(_ reply: PersonReply, to id: String) {
        switch reply {
        case .said(let answer): said(answer, to: id)
        case .closed: settle(id, .unanswered)
        case .nobody:
            open[id]?.isForClients = true
            if !hasAnsweringClient() { settle(id, .nobody) }
        }
    }

    /// Ends the questions that no desktop shows, unless another client can show them.
    func answeringClientLeft() {
        guard !hasAnsweringClient() else { return }
        for id in open.filter({ $0.value.isForClients }).keys { settle(id, .nobody) }
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
            quiet[key] = (ports.clock.now.boot.advanced(by: Self.patience), outcome)
        }
        let isAllowed: Bool? =
            switch outcome {
            case .allowed: true
            case .denied: false
            case .unanswered, .nobody, .crowded: nil
            }
        ports.log.record(.confirmEnded(question.question, isAllowed: isAllowed))
        for waiter in question.waiting { waiter.settle(outcome) }
        putNext()
    }
}
