// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Many programs that ask at once.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct QuestionsTests {
    /// What makes one request another than the next.
    private final class Request {}

    /// Questions, and what became of them by the program's name.
    @LoopActor private final class Desk {
        let world = World([])
        let questions: Questions
        private(set) var outcomes: [String: [Questions.Outcome]] = [:]
        /// Programs that do not wait any more.
        var gone: Set<String> = []

        init() {
            questions = Questions(ports: world.broker.ports)
        }

        /// One request each; the program keeps it.
        private(set) var requests: [Request] = []

        func ask(_ client: String, _ account: String = "work") {
            requests.append(Request())
            questions.ask(
                account,
                client,
                application: nil,
                matter: .token(canBeRemembered: true),
                pid: 7,
                waiter: .init(id: ObjectIdentifier(requests[requests.count - 1])) { [unowned self] in
                    !gone.contains(client)
                } settle: { [unowned self] outcome in
                    outcomes[client, default: []].append(outcome)
                }
            )
        }

        /// What is shown now.
        var shown: [String] { world.notifier.asked.filter { !$0.isRetracted }.map(\.question.client) }

        func answer(_ client: String, _ reply: PersonReply) {
            world.notifier.asked.last { $0.question.client == client }?.reply(reply)
        }
    }

    @Test @LoopActor func `however many programs ask, a person sees three questions at a time`() {
        let desk = Desk()
        for number in 1...30 { desk.ask("exe:/\(number)") }
        #expect(desk.shown == ["exe:/1", "exe:/2", "exe:/3"] && desk.outcomes.isEmpty)
        // The events tell no more than the notifications do.
        #expect(desk.world.log.events.count == 3)
        desk.answer("exe:/2", .said(.once))
        #expect(desk.outcomes == ["exe:/2": [.allowed]])
        #expect(desk.shown == ["exe:/1", "exe:/3", "exe:/4"])
        for number in [1, 3] { desk.answer("exe:/\(number)", .said(.deny)) }
        for number in 4...30 { desk.answer("exe:/\(number)", .said(.once)) }
        #expect(desk.shown.isEmpty && desk.outcomes.count == 30)
        #expect(desk.outcomes.values.allSatisfy { $0.count == 1 })
    }

    @Test @LoopActor func `the minute of a question begins when it is put`() async {
        let desk = Desk()
        for number in 1...4 { desk.ask("exe:/\(number)") }
        await desk.world.clock.advance(by: .seconds(60))
        #expect(desk.outcomes.count == 3 && desk.outcomes["exe:/4"] == nil && desk.shown == ["exe:/4"])
        await desk.world.clock.advance(by: .seconds(59))
        #expect(desk.outcomes["exe:/4"] == nil)
        await desk.world.clock.advance(by: .seconds(1))
        #expect(desk.outcomes["exe:/4"] == [.unanswered])
    }

    @Test @LoopActor func `what waits for its turn is one a client and account, and goes with the last that waits`() {
        let desk = Desk()
        for number in 1...3 { desk.ask("exe:/\(number)") }
        for client in ["exe:/a", "exe:/a", "exe:/b", "exe:/c"] { desk.ask(client) }
        desk.gone = ["exe:/b"]
        for number in 1...3 { desk.answer("exe:/\(number)", .said(.once)) }
        #expect(desk.shown == ["exe:/a", "exe:/c"])
        desk.answer("exe:/a", .said(.once))
        #expect(desk.outcomes["exe:/a"] == [.allowed, .allowed] && desk.outcomes["exe:/b"] == nil)
    }

    @Test @LoopActor func `beyond all measure a question is refused, and not silently kept`() {
        let desk = Desk()
        for number in 1...100 { desk.ask("exe:/\(number)") }
        let most = Questions.mostShown + Questions.mostQueued
        #expect(desk.outcomes.count == 100 - most && desk.outcomes["exe:/\(most)"] == nil)
        #expect(desk.outcomes.values.allSatisfy { $0 == [.crowded] })
        // Those that gave up make room.
        desk.gone = ["exe:/4", "exe:/5"]
        desk.ask("exe:/late")
        #expect(desk.outcomes["exe:/late"] == nil)
    }

    @Test @LoopActor func `a request that has left is let go of, and its question stays before the person`() {
        let desk = Desk()
        for _ in 0..<300 { desk.ask("exe:/1") }
        #expect(desk.shown == ["exe:/1"])
        // So many wait for one answer, and no more.
        #expect(desk.outcomes["exe:/1"]?.count == 300 - Questions.mostWaiting)
        for request in desk.requests { desk.questions.withdraw(ObjectIdentifier(request)) }
        #expect(desk.shown == ["exe:/1"])
        desk.answer("exe:/1", .said(.once))
        #expect(desk.outcomes["exe:/1"]?.count == 300 - Questions.mostWaiting)
    }
}
