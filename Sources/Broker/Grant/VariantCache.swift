// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// The tokens of a grant's combinations, in memory alone; what was used longest ago makes room.
struct VariantCache {
    /// How many combinations an account remembers.
    static let capacity = 16

    /// One combination, and what came of asking for it.
    struct Entry {
        let variant: TokenVariant
        var token: HeldToken?
        /// The last refresh's failure that was this combination's alone, until one succeeds.
        var failure: RefreshFailure?
        /// No refresh for this combination before this.
        var blockedUntil: BootInstant?
        /// A client has asked since the last refresh.
        var wasAskedFor = false
        /// Spreads the refreshes of many (0 ..< 1).
        var jitter: Double = 0
    }

    /// What was used last is last.
    private var entries: [Entry] = []

    subscript(_ variant: TokenVariant) -> Entry? {
        entries.last { $0.variant == variant }
    }

    /// Notes that a client asks.
    mutating func ask(for variant: TokenVariant) {
        guard let index = entries.lastIndex(where: { $0.variant == variant }) else { return }
        if index == entries.count - 1, entries[index].wasAskedFor { return }
        var entry = entries.remove(at: index)
        entry.wasAskedFor = true
        entries.append(entry)
    }

    /// Takes a token that has come just now.
    mutating func renewed(_ new: DerivedToken, jitter: Double) {
        put(new.variant) { entry in entry = Entry(variant: new.variant, token: new.token, jitter: jitter) }
    }

    /// The provider gives no such token; the next try is a minute from now.
    mutating func failed(_ variant: TokenVariant, _ failure: RefreshFailure, at now: Moment) {
        put(variant) { entry in
            entry.failure = failure
            entry.blockedUntil = now.boot.advanced(by: .seconds(60))
        }
    }

    /// What a provider refused before is tried again.
    mutating func forgetFailures() {
        for index in entries.indices {
            entries[index].failure = nil
            entries[index].blockedUntil = nil
        }
    }

    /// Which of them is due by itself first, and when: those alone that a client has asked for since they came.
    func due(_ policy: RefreshPolicy) -> (variant: TokenVariant, at: BootInstant)? {
        entries.compactMap { entry in
            guard entry.wasAskedFor, entry.failure == nil, let token = entry.token,
                let delay = policy.refreshDelay(lifetime: token.lifetime, jitter: entry.jitter)
            else { return nil }
            return (entry.variant, token.obtainedAtBoot.advanced(by: .seconds(max(0, delay))))
        }
        .min { $0.at < $1.at }
    }

    private mutating func put(_ variant: TokenVariant, _ change: (inout Entry) -> Void) {
        let index = entries.lastIndex { $0.variant == variant }
        var entry = index.map { entries.remove(at: $0) } ?? Entry(variant: variant)
        change(&entry)
        entries = entries.suffix(Self.capacity - 1) + [entry]
    }
}
