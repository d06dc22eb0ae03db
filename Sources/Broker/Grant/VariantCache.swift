// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

/// The tokens of a grant's variants, in memory alone; the least recently used one is evicted.
struct VariantCache {
    /// The greatest number of variants in an account's cache.
    static let capacity = 16

    /// One variant, and the result of requesting it.
    struct Entry {
        let variant: TokenVariant
        var token: HeldToken?
        /// The last refresh's failure that was this variant's alone, until one succeeds.
        var failure: RefreshFailure?
        /// No refresh for this variant before this.
        var blockedUntil: BootInstant?
        /// A client has asked since the last refresh.
        var wasAskedFor = false
        /// Spreads the refreshes of many (0 ..< 1).
        var jitter: Double = 0
    }

    /// The most recently used one is last.
    private var entries: [Entry] = []

    subscript(_ variant: TokenVariant) -> Entry? {
        entries.last { $0.variant == variant }
    }

    /// A client asks for the variant.
    mutating func ask(for variant: TokenVariant) {
        guard let index = entries.lastIndex(where: { $0.variant == variant }) else { return }
        if index == entries.count - 1, entries[index].wasAskedFor { return }
        var entry = entries.remove(at: index)
        entry.wasAskedFor = true
        entries.append(entry)
    }

    /// Stores a new token.
    mutating func renewed(_ new: DerivedToken, jitter: Double) {
        put(new.variant) { entry in entry = Entry(variant: new.variant, token: new.token, jitter: jitter) }
    }

    /// The provider refuses this variant; the next try is a minute from now.
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

    /// The variant that is due first, and when: only those that a client has asked for since their last refresh.
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
