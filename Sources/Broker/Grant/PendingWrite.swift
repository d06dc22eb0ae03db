// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A record that the store has refused: kept in memory, and written again until the store accepts it.
struct PendingWrite {
    /// What may be served once the record is stored.
    enum Release {
        /// The record's own token.
        case token
        case derived(DerivedToken)
        /// Nothing: the answer was refused.
        case nothing
    }

    var record: GrantRecord
    var release: Release
    /// The store's last error.
    var error: StoreError
    /// When it is written again; nil while it is being written.
    var retryAt: BootInstant?
    /// Refusals so far.
    var attempts = 1

    /// The first refusal.
    init(_ record: GrantRecord, _ error: StoreError, release: Release = .nothing, at now: Moment) {
        self.record = record
        self.release = release
        self.error = error
        retryAt = now.boot.advanced(by: .seconds(2))
    }

    /// Begins to write it again, unless that is under way.
    mutating func retry() -> [GrantStateMachine.Action] {
        guard retryAt != nil else { return [] }
        retryAt = nil
        return [.write(record)]
    }

    /// The store has refused once more.
    mutating func refused(_ error: StoreError, at now: Moment) {
        self.error = error
        retryAt = now.boot.advanced(by: .seconds(min(60, Int64(2) << min(attempts, 5))))
        attempts += 1
    }
}
