// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Systemd
import TokendProtocol

/// What a day of a run brings, as its seed has it: each happening has a number and dice of its own, so that leaving one
/// out changes nothing about the others.
@LoopActor final class Plan {
    private struct Happening {
        enum Kind { case requests(Int), fault(Fault), act, crash }

        var at: Span
        var kind: Kind
        /// It waits for a moment at which a request, an answer or a write arrives.
        var isArmed: Bool
        var dice: Dice
    }

    private let world: World
    private let seed: UInt64
    private let leftOut: Set<Int>
    /// The numbers of what was planned.
    private(set) var planned: [Int] = []
    /// How many happenings a day has at most, for their numbers.
    private static let most = 1000

    init(world: World, seed: UInt64, leftOut: Set<Int>) {
        self.world = world
        self.seed = seed
        self.leftOut = leftOut
    }

    /// Puts a day's happenings onto the agenda. Until its evening anything may happen; then everything heals.
    func begin(day: Int) {
        let morning = world.agenda.now
        var dice = Dice(seed: seed &+ UInt64(day) &* 0x9E37_79B9_7F4A_7C15)
        for (index, happening) in happenings(&dice).enumerated()
        where !leftOut.contains(day * Self.most + index) {
            planned.append(day * Self.most + index)
            world.agenda.at(morning + happening.at) { [self] in
                guard happening.isArmed else { return happen(happening.kind, happening.dice) }
                var dice = happening.dice
                world.arm(1 + dice.below(12)) { [self] in happen(happening.kind, dice) }
            }
        }
        world.agenda.at(morning + .hours(20)) { [world] in world.heal() }
        world.agenda.at(morning + .hours(21)) { [self] in lookWhetherHealed() }
        world.agenda.at(morning + .hours(22)) { [self] in signInAgain(dice) }
        world.book.forget(before: morning - .day * 2)
    }

    /// Everybody signs in.
    func beginFirstDay() {
        world.agenda.after(.minutes(1)) { [self] in signInAgain(Dice(seed: seed)) }
    }

    private func happenings(_ dice: inout Dice) -> [Happening] {
        var kinds: [Happening.Kind] = []
        var requests = 0
        while requests < 200 {
            let count = dice.chance(70) ? 1 : 2 + dice.below(6)
            requests += count
            kinds.append(.requests(count))
        }
        for _ in 0..<5 { kinds.append(.fault(dice.pick(Fault.allCases))) }
        for _ in 0..<2 { kinds.append(.act) }
        kinds.append(.crash)
        return kinds.map { kind in
            var isArmed = false
            if case .requests = kind {} else { isArmed = dice.chance(50) }
            return Happening(at: dice.span(0...(.hours(19))), kind: kind, isArmed: isArmed, dice: dice.fork())
        }
    }

    private func happen(_ kind: Happening.Kind, _ given: Dice) {
        var dice = given
        switch kind {
        case .requests(let count): world.clients.ask(&dice, count: count)
        case .fault(let fault): fault.begin(in: world, &dice)
        case .act: act(&dice)
        case .crash: crash(&dice)
        }
    }

    private func act(_ dice: inout Dice) {
        let account = dice.pick(world.accountList)
        switch dice.below(3) {
        case 0: world.users.signOut(of: account, revoke: dice.chance(80))
        default: world.users.signIn(to: account, dice.pick(Users.Manner.allCases), &dice)
        }
    }

    private func crash(_ dice: inout Dice) {
        switch dice.below(4) {
        case 0: world.stop()
        case 1: world.crash(losesPower: true)
        default: world.crash(losesPower: false)
        }
        let pause = dice.chance(70) ? dice.span(.seconds(1)...(.seconds(50))) : dice.span(.minutes(1)...(.hours(2)))
        startAgain(after: pause)
    }

    private func startAgain(after pause: Span) {
        world.agenda.after(pause) { [self] in
            guard world.daemon != nil else { return world.start() }
            // It has not ended yet.
            startAgain(after: .minutes(1))
        }
    }

    // MARK: In the evening

    private func lookWhetherHealed() {
        for account in world.accountList {
            world.clients.ask(.init(), of: account) { [world] in world.rules.isHealed(account, $0) }
        }
    }

    private func signInAgain(_ given: Dice) {
        var dice = given
        for account in world.accountList {
            let state = (try? world.daemon?.broker?.account(named: account.name))?.status.state
            guard state != .ready, state != .refreshing else { continue }
            world.users.signIn(to: account, .finishes, &dice) { [world] in world.rules.isSignedIn(account, $0) }
        }
    }
}
