// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Systemd

/// What may go wrong: each kind is one case, and `begin` says what it does.
enum Fault: String, CaseIterable {
    case providerCondition, providerKeys, providerEndsGrant
    case networkGone, networkFlaps
    case storeCondition, storeItemDeleted, storeItemOlder
    case stateFolderFull
    case suspend, wallStep
    case fileEdited, paused

    /// Has it happen; what lasts ends by itself after a while.
    @LoopActor func begin(in world: World, _ dice: inout Dice) {
        let account = dice.pick(world.accountList)
        let length = dice.chance(50) ? dice.span(.seconds(1)...(.minutes(3))) : dice.span(.minutes(3)...(.hours(3)))
        world.trace.note("a fault begins", "\(rawValue) \(account.name)")
        switch self {
        case .providerCondition:
            let provider = dice.pick(world.providers)
            let condition = dice.pick(Condition.allCases)
            world.trace.note("a provider's condition changes", "\(provider.host) \(condition)")
            provider.condition = condition
            world.later(length) { provider.condition = .well }
        case .providerKeys: account.provider.rotateKey()
        case .providerEndsGrant:
            let name = world.disk.grant(of: account.name)?.refreshToken
            if let name { world.book.refreshToken(name)?.grant.isAlive = false }
        case .networkGone:
            world.network.isUp = false
            world.later(length) { world.networkComes() }
        case .networkFlaps:
            for second in 0..<20 {
                world.later(.seconds(Int64(second))) { [world] in
                    world.network.isUp = second % 2 == 1
                    if world.network.isUp { world.networkComes() }
                }
            }
        case .storeCondition:
            let condition = dice.pick(Disk.Condition.allCases)
            world.trace.note("the store's condition changes", "\(condition)")
            world.disk.condition = condition
            world.later(length) { world.storeOpens() }
        case .storeItemDeleted: if dice.chance(30) { world.disk.meddle(account.name, nil) }
        case .storeItemOlder:
            if let copy = world.disk.copies[account.name] { world.disk.meddle(account.name, copy) }
        case .stateFolderFull:
            world.isStateFolderFull = true
            world.later(length) { world.isStateFolderFull = false }
        case .suspend:
            world.agenda.sleep(length)
            world.daemon?.broker?.timeJumped()
        case .wallStep:
            let seconds = dice.span(-90_000...90_000)
            world.stepWall(by: seconds)
            world.later(length) { world.stepWall(by: -seconds) }
        case .fileEdited:
            world.users.edit(account, dice.pick([.elsewhere, .broken, .gone]))
            world.later(length) { world.users.edit(account, .asItWas) }
        case .paused:
            world.users.pause(account, true)
            world.later(length) { world.users.pause(account, false) }
        }
    }
}

extension World {
    var users: Users { Users(world: self) }
    var clients: Clients { Clients(world: self) }

    /// After a while that something lasts.
    func later(_ span: Span, _ action: @escaping @LoopActor () -> Void) {
        agenda.after(span) { [self] in
            action()
            lookWhetherWell()
        }
        lookWhetherWell()
    }

    func networkComes() {
        network.isUp = true
        daemon?.broker?.networkAppeared()
    }

    /// The user opens the store, or it works again.
    func storeOpens() {
        if disk.condition == .lying { disk.sync() }
        disk.condition = .open
        daemon?.broker?.storeSignalled()
    }

    /// Ends whatever is wrong.
    func heal() {
        trace.note("all is well again")
        disarm()
        for provider in providers { provider.condition = .well }
        isStateFolderFull = false
        storeOpens()
        start()
        for account in accountList where account.file != .asItWas { users.edit(account, .asItWas) }
        for account in accountList where notes.paused.contains(account.name) { users.pause(account, false) }
        networkComes()
        lookWhetherWell()
    }

    func lookWhetherWell() {
        let isWell =
            network.isUp && disk.condition == .open && !isStateFolderFull
            && providers.allSatisfy { $0.condition == .well }
            && accountList.allSatisfy { $0.file == .asItWas } && notes.paused.isEmpty
        if !isWell { wellSince = nil } else if wellSince == nil { wellSince = agenda.now }
    }
}
