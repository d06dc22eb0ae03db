// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// The user is asked before a program gets a token.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ConfirmTests {
    @LoopActor private final class Stand {
        let world: World
        let methods: MethodStand
        let client: MethodClient
        var notifier: ScriptedNotifier { world.notifier }

        init(_ confirm: ConfirmPolicy) async throws {
            var account = try AccountConfiguration.plain()
            account.file = "/home/u/.config/tokend/accounts/work.json5"
            account.policy.confirm = confirm
            world = await World.signedIn(account, age: 60)
            methods = try MethodStand(world)
            client = try methods.client()
        }

        /// Asks for a token, and waits until the user is asked.
        func asks() async -> Int64 {
            let id = client.send(.tokenGet, ["account": "work", "application": "Mail\u{1B}[2J"])
            await client.arrive()
            return id
        }
    }

    @Test @LoopActor func `a program is asked about once, and what was said for good is remembered`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        let first = await stand.asks()
        let question = try #require(stand.notifier.asked.last)
        #expect(question.question.account == "work" && question.question.client.hasPrefix("exe:/"))
        #expect(question.question.matter == .token(canBeRemembered: true))
        question.reply(.said(.once))
        #expect(await stand.client.reply(to: first).value?["access_token"] == "A1")
        let second = await stand.asks()
        #expect(stand.notifier.asked.count == 2)
        stand.notifier.asked[1].reply(.said(.always))
        #expect(await stand.client.reply(to: second).value?["access_token"] == "A1")
        #expect(await stand.client.call(.tokenGet).value != nil)
        #expect(stand.notifier.asked.count == 2)
        let list = try PolicyList.Result(json: await stand.client.call(.policyList).get())
        #expect(list.decisions.map(\.account) == ["work"])
        let client = try #require(list.decisions.first?.client)
        #expect(await stand.client.call(.policyRevoke, ["account": "work", "client": .string(client)]).value != nil)
        #expect(
            await stand.client.call(.policyRevoke, ["account": "work", "client": .string(client)]).kind
                == .invalidParams
        )
        _ = await stand.asks()
        #expect(stand.notifier.asked.count == 3)
    }

    @Test @LoopActor func `what was said of an account goes with it, and another one of its name starts afresh`()
        async throws
    {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        let id = await stand.asks()
        stand.notifier.asked.last?.reply(.said(.always))
        #expect(await stand.client.reply(to: id).value != nil)
        #expect(await stand.client.call(.accountPause, ["account": "work"]).value != nil)
        #expect(stand.world.state.notes.decisions.count == 1 && stand.world.state.notes.paused == ["work"])
        #expect(await stand.client.call(.accountRemove, ["account": "work", "revoke": false]).value != nil)
        #expect(stand.world.state.notes.decisions.isEmpty && stand.world.state.notes.paused.isEmpty)
    }

    @Test @LoopActor func `where each time is asked, nothing is remembered`() async throws {
        let stand = try await Stand(.always)
        defer { stand.methods.end() }
        for count in 1...2 {
            let id = await stand.asks()
            #expect(stand.notifier.asked.count == count)
            #expect(stand.notifier.asked.last?.question.matter == .token(canBeRemembered: false))
            stand.notifier.asked.last?.reply(.said(.always))
            #expect(await stand.client.reply(to: id).value != nil)
        }
        #expect(stand.world.state.notes.decisions.isEmpty)
    }

    @Test @LoopActor func `a person who says no is not asked again at once`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        let id = await stand.asks()
        stand.notifier.asked.last?.reply(.said(.deny))
        let error = await stand.client.reply(to: id).error
        #expect(error?.kind == .notAllowed && error?.message.contains("said no") == true)
        #expect(await stand.client.call(.tokenGet).kind == .notAllowed)
        #expect(stand.notifier.asked.count == 1)
        await stand.world.clock.advance(by: .seconds(61))
        _ = await stand.asks()
        #expect(stand.notifier.asked.count == 2)
    }

    @Test @LoopActor func `one question a client and account at a time, and a minute for it`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        let ids = [await stand.asks(), await stand.asks()]
        #expect(stand.notifier.asked.count == 1)
        await stand.world.clock.advance(by: .seconds(60))
        for id in ids { #expect(await stand.client.reply(to: id).kind == .notAllowed) }
        #expect(stand.notifier.asked[0].isRetracted)
        #expect(stand.world.log.ends == [nil])
    }

    @Test @LoopActor func `where no desktop asks, a question waits for as long as somebody is there to answer`()
        async throws
    {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        stand.notifier.isThere = false
        let answering = [try stand.methods.client(), try stand.methods.client()]
        for client in answering { #expect(await client.call(.eventsSubscribe, ["confirms": true]).value != nil) }
        let id = await stand.asks()
        answering[0].leave()
        #expect(await !stand.client.hasReply(to: id))
        answering[1].leave()
        let error = await stand.client.reply(to: id).error
        #expect(error?.kind == .notAllowed && error?.message.contains("you cannot be asked") == true)
        // That was nobody's no: the next one is asked.
        let next = try stand.methods.client()
        #expect(await next.call(.eventsSubscribe, ["confirms": true]).value != nil)
        let again = await stand.asks()
        #expect(stand.methods.router.questions.answer(try #require(stand.world.log.questions.last).id, .once))
        #expect(await stand.client.reply(to: again).value != nil)
        next.leave()
    }

    @Test @LoopActor func `what a person left open is not asked again at once`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        let id = await stand.asks()
        stand.notifier.asked.last?.reply(.closed)
        for error in [await stand.client.reply(to: id).error, await stand.client.call(.tokenGet).error] {
            #expect(error?.kind == .notAllowed && error?.message.contains("did not answer") == true, "\(error as Any)")
        }
        #expect(stand.notifier.asked.count == 1)
    }

    @Test @LoopActor func `where nobody can be asked, the answer comes at once and says the way`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        stand.notifier.isThere = false
        let error = await stand.client.call(.tokenGet).error
        #expect(error?.kind == .notAllowed)
        #expect(
            error?.message.contains("you cannot be asked") == true
                && error?.message.contains("to `allow` in /home/u/") == true
        )
    }

    @Test @LoopActor func `a client may put the question to its person, and the one that asks may not`() async throws {
        let stand = try await Stand(.first)
        defer { stand.methods.end() }
        stand.notifier.isThere = false
        let answering = try stand.methods.client()
        #expect(await answering.call(.eventsSubscribe, ["confirms": true]).value != nil)
        let id = await stand.asks()
        let wanted = try #require(stand.world.log.questions.last)
        // The test is one process: it has no second one to answer from.
        let refused = await stand.client.call(.confirmAnswer, ["id": .string(wanted.id), "answer": "always"])
        #expect(refused.kind == .notAllowed)
        #expect(stand.methods.router.questions.answer(wanted.id, .once))
        #expect(await stand.client.reply(to: id).value?["access_token"] == "A1")
        let late = await stand.client.call(.confirmAnswer, ["id": .string(wanted.id), "answer": "once"])
        #expect(late.kind == .invalidParams)
        answering.leave()
    }

    @Test @LoopActor func `setting a signed-in account up for another provider takes the person's word`() async throws {
        let stand = try await Stand(.never)
        defer { stand.methods.end() }
        let config: JSONObject = [
            "client_id": "app",
            "endpoints": ["authorization": "https://evil.example/a", "token": "https://evil.example/t"],
        ]
        let params: JSONObject = ["account": "work", "config": .object(config), "replace": true]
        let id = stand.client.send(.accountAdd, params)
        await stand.client.arrive()
        #expect(stand.notifier.asked.last?.question.matter == .destination("evil.example"))
        stand.notifier.asked.last?.reply(.said(.deny))
        let error = await stand.client.reply(to: id).error
        #expect(error?.kind == .notAllowed && error?.message.contains("tokenctl logout work") == true)
        #expect(stand.world.accountFiles.contents.isEmpty)
    }
}

extension RecordingLog {
    /// What became of the questions.
    fileprivate var ends: [Bool?] {
        events.compactMap { event in
            guard case .confirmEnded(_, let isAllowed) = event else { return nil }
            return .some(isAllowed)
        }
    }

    /// What people were asked.
    fileprivate var questions: [ConfirmQuestion] {
        events.compactMap { event in
            guard case .confirmWanted(let question) = event else { return nil }
            return question
        }
    }
}
