// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import Secrets
import Systemd

/// The secret store, as it lies on the disk: what daemons ask of it, and what others do to it.
@LoopActor final class Disk {
    /// What is wrong with the store for a while.
    enum Condition: String, CaseIterable {
        case open
        case locked
        case unavailable
        /// It never answers; the daemon's own deadline ends each call.
        case frozen
        /// It takes no writes.
        case full
        case slow
        /// It acknowledges what only lies in memory: a power cut takes that away.
        case lying
    }

    struct Key: Hashable {
        var kind: StoredItem.Kind
        var account: String
    }

    var condition = Condition.open
    private(set) var items: [Key: StoredItem] = [:]
    /// What was there before writes that a lying disk has acknowledged, newest last.
    private var unsynced: [(key: Key, before: StoredItem?)] = []
    /// An older copy of each account's grant, as a backup would have it.
    private(set) var copies: [String: StoredItem] = [:]
    private unowned let world: World
    private var dice: Dice

    init(_ world: World, dice: Dice) {
        self.world = world
        self.dice = dice
    }

    func grant(of account: String) -> StoredItem? { items[Key(kind: .grant, account: account)] }

    // MARK: What a daemon asks

    /// How long a call takes until it is done, and then until its caller knows.
    func spans() -> (Span, Span) {
        switch condition {
        case .frozen: (.seconds(20), 1)
        case .slow: (dice.span(.milliseconds(200)...(.seconds(4))), dice.span(.milliseconds(1)...(.seconds(1))))
        default: (dice.span(0...(.milliseconds(3))), dice.span(1...(.milliseconds(2))))
        }
    }

    func fault(isWrite: Bool) -> StoreError? {
        switch condition {
        case .locked: StoreError(code: .locked, message: "the store is locked")
        case .unavailable, .frozen: StoreError(code: .unavailable, message: "the store does not answer")
        case .full where isWrite: StoreError(code: .unavailable, message: "the store is full")
        case .open, .slow, .lying, .full: nil
        }
    }

    func set(_ item: StoredItem?, _ key: Key) {
        if condition == .lying { unsynced.append((key, items[key])) }
        if key.kind == .grant, let old = items[key], dice.chance(5) { copies[key.account] = old }
        items[key] = item
    }

    // MARK: What others do

    /// The power is gone: what was acknowledged and not written is lost.
    func losePower() {
        for (key, before) in unsynced.reversed() { items[key] = before }
        for (key, _) in unsynced { world.accounts[key.account]?.disturbedAt = world.agenda.now }
        unsynced = []
    }

    /// It has written what it has acknowledged.
    func sync() { unsynced = [] }

    /// Another program changes an account's item.
    func meddle(_ account: String, _ item: StoredItem?) {
        items[Key(kind: .grant, account: account)] = item
        world.accounts[account]?.disturbedAt = world.agenda.now
    }
}

extension StoredItem {
    /// The refresh token in it.
    var refreshToken: String? { text(after: #""refresh_token":""#) }

    /// Whether it says that a refresh is under way.
    var isMarked: Bool { text(after: #""pending":{"#) != nil }

    private func text(after name: StaticString) -> String? {
        secret.withUnsafeBytes { bytes in
            let length = name.utf8CodeUnitCount
            guard bytes.count > length, let base = bytes.baseAddress else { return nil }
            // The second byte is rarer than the quote before it.
            let second = name.utf8Start[1]
            for index in 0..<bytes.count - length
            where bytes[index + 1] == second && memcmp(base + index, name.utf8Start, length) == 0 {
                let rest = bytes[(index + length)...]
                return String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
            }
            return nil
        }
    }
}
