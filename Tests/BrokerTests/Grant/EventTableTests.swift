// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Every event in every state: what the shell is to do.
@Suite(.timeLimit(.minutes(1))) struct EventTableTests {
    enum Phase: CaseIterable {
        case unknown, blocked, signedOut, ended, endedOwing, refused, triedAgain, live, heldBack, refreshing, owing,
            storing
    }

    enum Event: CaseIterable {
        case demand, beginLoad, loadFailed, timer, jump, storeOpened, written, refusedAgain, finished, signedIn,
            loggedOut
    }

    /// A machine in that state, an hour and a day after its grant began.
    private func stand(in phase: Phase) throws -> GrantStand {
        var stand = try GrantStand()
        let record = try #require(stand.machine.record)
        let tombstone = record.tombstone(.init(reason: .ended, at: stand.now.wall))
        switch phase {
        case .unknown:
            stand.machine = GrantStateMachine(account: "work", settings: stand.account.refresh)
        case .blocked:
            stand.machine = GrantStateMachine(account: "work", settings: stand.account.refresh)
            _ = stand.machine.loadFailed(MemoryCredentialStore.locked)
        case .signedOut: _ = stand.machine.loggedOut()
        case .ended: stand.finish(.ended(tombstone, nil))
        case .endedOwing: stand.finish(.ended(tombstone, MemoryCredentialStore.locked))
        case .refused, .triedAgain:
            _ = stand.ask(.fresh)
            stand.fail(.refused)
            if phase == .triedAgain { stand.machine.networkAppeared(at: stand.now, random: 0) }
        case .live: break
        case .heldBack: stand.machine.reconfigured(settings: stand.account.refresh, isHeldBack: true)
        case .refreshing: _ = stand.ask(.fresh)
        case .owing, .storing:
            _ = stand.ask(.fresh)
            stand.finish(.unstored(stand.record("A2"), MemoryCredentialStore.locked, nil))
            if phase == .storing { _ = stand.machine.storeOpened(at: stand.now) }
        }
        stand.pass(90_000)
        return stand
    }

    private func words(_ actions: [GrantStateMachine.Action]) -> String {
        actions.map { action in
            switch action {
            case .load: "load"
            case .refresh: "refresh"
            case .write: "write"
            case .note: "note"
            case .clear: "clear"
            case .resumeWaiters(renewed: let renewed, of: _): renewed ? "renewed" : "settle"
            }
        }.joined(separator: " ")
    }

    private func outcome(of event: Event, in stand: inout GrantStand) -> String {
        let now = stand.now
        switch event {
        case .demand:
            let seen = stand.ask()
            let word =
                switch seen {
                case .held, .renewed: "serve"
                case .wait: "wait"
                case .fail(let kind): kind.rawValue
                }
            return ([word] + (stand.actions.isEmpty ? [] : [words(stand.actions)])).joined(separator: " ")
        case .beginLoad: return words(stand.machine.beginLoad())
        case .loadFailed: return words(stand.machine.loadFailed(MemoryCredentialStore.unavailable))
        case .timer:
            let first = stand.timer()
            return words(first.isEmpty ? stand.timer() : first)
        case .jump:
            stand.machine.timeJumped(at: now, random: 0)
            return words(stand.timer())
        case .storeOpened: return words(stand.machine.storeOpened(at: now))
        case .written: return words(stand.machine.written(.success(()), at: now))
        case .refusedAgain: return words(stand.machine.written(.failure(MemoryCredentialStore.locked), at: now))
        case .finished:
            return words(
                stand.machine.refreshFinished(.renewed(stand.record("A3"), isStored: true), at: now, random: 0)
            )
        case .signedIn: return words(stand.machine.signedIn(stand.record("N"), at: now, random: 0))
        case .loggedOut: return words(stand.machine.loggedOut())
        }
    }

    private static let table: [Phase: [Event: String]] = [
        .unknown: [.demand: "wait load", .beginLoad: "load", .storeOpened: "load"],
        .blocked: [.demand: "wait load", .beginLoad: "load", .storeOpened: "load"],
        .signedOut: [.demand: "login_required", .beginLoad: "load"],
        .ended: [.demand: "login_required", .beginLoad: "load", .timer: "clear", .jump: "clear"],
        .endedOwing: [
            .demand: "login_required", .beginLoad: "load", .timer: "write", .jump: "write", .storeOpened: "write",
            .written: "settle", .refusedAgain: "settle",
        ],
        .refused: [.demand: "login_required", .beginLoad: "load", .finished: "renewed"],
        .triedAgain: [
            .demand: "login_required", .beginLoad: "load", .timer: "refresh", .jump: "refresh", .finished: "renewed",
        ],
        .live: [
            .demand: "wait refresh", .beginLoad: "load", .timer: "refresh", .jump: "refresh", .finished: "renewed",
        ],
        .heldBack: [.demand: "login_required", .beginLoad: "load", .finished: "renewed"],
        .refreshing: [.demand: "wait", .beginLoad: "load", .finished: "renewed"],
        .owing: [
            .demand: "store_locked", .beginLoad: "load", .timer: "write", .jump: "write", .storeOpened: "write",
            .written: "renewed", .refusedAgain: "settle", .finished: "renewed",
        ],
        .storing: [
            .demand: "store_locked", .beginLoad: "load", .written: "renewed", .refusedAgain: "settle",
            .finished: "renewed",
        ],
    ]

    @Test(arguments: Phase.allCases, Event.allCases)
    func `each event in each state`(phase: Phase, event: Event) throws {
        var stand = try stand(in: phase)
        let always: [Event: String] = [.loadFailed: "settle", .signedIn: "settle", .loggedOut: "settle"]
        let expected = Self.table[phase]?[event] ?? always[event] ?? ""
        #expect(outcome(of: event, in: &stand) == expected)
    }

    @Test(arguments: Phase.allCases) func `after a login every state serves its token`(phase: Phase) throws {
        var stand = try stand(in: phase)
        _ = stand.machine.signedIn(stand.record("N"), at: stand.now, random: 0)
        #expect(stand.ask() == .held("N"))
        #expect(stand.due == 3300)
    }

    @Test(arguments: Phase.allCases) func `after a logout no state serves a token, and nothing is due`(phase: Phase)
        throws
    {
        var stand = try stand(in: phase)
        _ = stand.machine.loggedOut()
        #expect(stand.ask() == .fail(.loginRequired))
        #expect(stand.lastError?.data["reason"] == "signed_out")
        #expect(stand.due == nil)
    }

    @Test func `a store that shuts takes nothing from a grant that lives`() throws {
        var stand = try GrantStand()
        _ = stand.machine.loadFailed(MemoryCredentialStore.locked)
        #expect(stand.ask() == .held("A1"))
    }
}
