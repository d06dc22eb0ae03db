// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// A grant that has ended, and what is left of it.
struct EndedGrant {
    /// For how long an ended grant keeps its item, so that a restart can still say why.
    static let memory: Int64 = 86_400

    var end: GrantRecord.Ended
    /// The last access token, which is good until its own end.
    private var held: HeldToken?
    /// The last access tokens of the other combinations.
    private var variants = VariantCache()
    /// What the store has not taken yet: the item without its secrets.
    var pendingWrite: PendingWrite?
    /// When the item is removed; nil if it stays, or has been removed.
    var clearAt: BootInstant?

    /// - Parameter isCleared: whether the item holds no secret any more, so that nothing is lost when it is removed.
    init(_ end: GrantRecord.Ended, held: LiveGrant?, isCleared: Bool, at now: Moment) {
        self.end = end
        self.held = held?.record.token
        if let held { variants = held.variants }
        if isCleared { cleared(at: now) }
    }

    /// The item holds no secret any more: it is removed after its time.
    private mutating func cleared(at now: Moment) {
        let age = max(0, now.wall.subtractingSaturated(end.at))
        clearAt = now.boot.advanced(by: .seconds(max(0, Self.memory.subtractingSaturated(age))))
    }

    /// The store took what it had refused, or refused it again.
    mutating func written(_ pendingWrite: PendingWrite, _ result: Result<Void, StoreError>, at now: Moment) {
        if case .failure(let error) = result {
            self.pendingWrite?.refused(error, at: now)
            return
        }
        self.pendingWrite = nil
        if !pendingWrite.record.renewable { cleared(at: now) }
    }

    /// The last token of a combination; nil: the account's own.
    func token(of variant: TokenVariant? = nil) -> HeldToken? {
        guard let variant else { return held }
        return variants[variant]?.token
    }

    /// When something is due by itself.
    var deadline: BootInstant? {
        pendingWrite == nil ? clearAt : pendingWrite?.retryAt
    }

    /// The time that `deadline` named has come.
    mutating func deadlineReached() -> [GrantStateMachine.Action] {
        if pendingWrite != nil { return pendingWrite?.retry() ?? [] }
        clearAt = nil
        return [.clear]
    }
}
