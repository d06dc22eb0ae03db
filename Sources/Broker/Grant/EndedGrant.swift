// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A grant that has ended, and what remains of it.
struct EndedGrant {
    /// How long the item of an ended grant is kept, so that a restart can still say why it ended.
    static let memory: Int64 = 86_400

    var end: GrantRecord.Ended
    /// The last access token, which is served until its own end.
    private var held: HeldToken?
    /// The last access tokens of the other variants.
    private var variants = VariantCache()
    /// The record without secrets, if the store has not taken it yet.
    var pendingWrite: PendingWrite?
    /// When the item is removed; nil if it stays, or has been removed.
    var clearAt: BootInstant?

    /// - Parameter isCleared: whether the item holds no secret any more, so that it can be removed safely.
    init(_ end: GrantRecord.Ended, held: LiveGrant?, isCleared: Bool, at now: Moment) {
        self.end = end
        self.held = held?.record.token
        if let held { variants = held.variants }
        if isCleared { cleared(at: now) }
    }

    /// The item holds no secret any more: it is removed after `memory`.
    private mutating func cleared(at now: Moment) {
        let age = max(0, now.wall.subtractingSaturated(end.at))
        clearAt = now.boot.advanced(by: .seconds(max(0, Self.memory.subtractingSaturated(age))))
    }

    /// The store accepted, or refused again, a record that it had refused before.
    mutating func written(_ pendingWrite: PendingWrite, _ result: Result<Void, StoreError>, at now: Moment) {
        if case .failure(let error) = result {
            self.pendingWrite?.refused(error, at: now)
            return
        }
        self.pendingWrite = nil
        if !pendingWrite.record.renewable { cleared(at: now) }
    }

    /// The last token of a variant; nil: the account's own.
    func token(of variant: TokenVariant? = nil) -> HeldToken? {
        guard let variant else { return held }
        return variants[variant]?.token
    }

    /// When the next thing is due.
    var deadline: BootInstant? {
        pendingWrite == nil ? clearAt : pendingWrite?.retryAt
    }

    /// `deadline` has been reached.
    mutating func deadlineReached() -> [GrantStateMachine.Action] {
        if pendingWrite != nil { return pendingWrite?.retry() ?? [] }
        clearAt = nil
        return [.clear]
    }
}
