// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd

extension LiveGrant {
    /// When the next thing is due.
    ///
    /// - Parameter isHalted: no request may be sent to the provider now; pending writes continue.
    func deadline(_ settings: RefreshSettings, isHalted: Bool) -> BootInstant? {
        if let pendingWrite { return pendingWrite.retryAt }
        guard !isHalted, !isRefreshing, record.canRenew else { return nil }
        return [refreshDue(settings), variantDue(settings)?.at].compactMap(\.self).min()
    }

    /// A timer that is later than this was delayed by suspend: all accounts are due, and no network is up yet.
    private static let sleep: Duration = .seconds(60)

    /// `deadline` has been reached.
    mutating func deadlineReached(
        _ deadline: BootInstant,
        _ settings: RefreshSettings,
        at now: Moment,
        random: Double
    ) -> [GrantStateMachine.Action] {
        if pendingWrite != nil { return pendingWrite?.retry() ?? [] }
        guard deadline.duration(to: now.boot) <= Self.sleep else {
            retry.postpone(to: spread(at: now, by: random))
            return []
        }
        return [begin(dueJob(settings))]
    }

    /// The automatic refresh that is due now, or next.
    func dueJob(_ settings: RefreshSettings) -> RefreshJob {
        guard let derived = variantDue(settings) else { return RefreshJob() }
        if let own = refreshDue(settings), own <= derived.at { return RefreshJob() }
        return RefreshJob(variant: derived.variant)
    }

    /// When the next variant is due that a client has asked for since its last refresh.
    private func variantDue(_ settings: RefreshSettings) -> (variant: TokenVariant, at: BootInstant)? {
        guard settings.policy != .onDemand, retry.sharedFailure == nil, retry.storeError == nil, record.pending == nil,
            record.refusal == nil
        else { return nil }
        return variants.due(settings.rules).map { ($0.variant, max($0.at, retry.notBefore)) }
    }

    /// When the account's own token is due, or the grant to keep it alive; nil while a refresh is under way.
    func refreshDue(_ settings: RefreshSettings) -> BootInstant? {
        if record.refusal != nil { return retry.hasSecondTry ? retry.notBefore : nil }
        guard record.canRenew, retry.failure?.kind != .misconfigured else { return nil }
        if record.pending != nil { return retry.notBefore }
        let policy = settings.rules
        let dues = [dueByToken(settings, policy), dueByIdleness(policy)].compactMap(\.self)
        return dues.min().map { max($0, retry.notBefore) }
    }

    private func dueByToken(_ settings: RefreshSettings, _ policy: RefreshPolicy) -> BootInstant? {
        switch settings.policy {
        case .onDemand: return nil
        case .active where !wasAskedFor: return nil
        case .active, .always: break
        }
        // The first token for the client itself is fetched on demand.
        if !record.source.isOfUser, record.token == nil { return nil }
        guard let token = record.token, !(isDueAtStart && settings.policy == .always) else { return retry.notBefore }
        guard let delay = policy.refreshDelay(lifetime: token.lifetime, jitter: jitter) else { return nil }
        let due = token.obtainedAtBoot.advanced(by: .seconds(max(0, delay - Double(token.ageThen))))
        return dueByWall.map { min($0, due) } ?? due
    }

    private func dueByIdleness(_ policy: RefreshPolicy) -> BootInstant? {
        guard record.source.isOfUser else { return nil }
        return policy.keepAliveDelay(grantLifetime: record.idleLife)
            .map { lastUsed.advanced(by: .seconds(max(0, $0.subtractingSaturated(idleThen)))) }
    }

    /// The wall clock stepped, or the machine was asleep: the token's end is computed again by both clocks, and due
    /// work is spread.
    mutating func timeJumped(_ settings: RefreshSettings, at now: Moment, random: Double) {
        let spread = spread(at: now, by: random)
        retry.timeJumped(spread: spread, at: now)
        dueByWall = dueByWallClock(settings, at: now).map { max($0, spread) }
        guard pendingWrite == nil, let due = deadline(settings, isHalted: false), due <= now.boot else { return }
        retry.postpone(to: spread)
    }

    /// A day has passed without anything due: the next due time is computed again by the wall clock, which may have
    /// drifted from the boot-time clock (engine rule 14).
    mutating func lookAgain(_ settings: RefreshSettings, at now: Moment) {
        dueByWall = dueByWallClock(settings, at: now)
    }

    /// When the token is due according to the wall clock; nil if it does not end.
    private func dueByWallClock(_ settings: RefreshSettings, at now: Moment) -> BootInstant? {
        guard let token = record.token,
            let delay = settings.rules.refreshDelay(lifetime: token.lifetime, jitter: jitter)
        else { return nil }
        let wait = token.issuedAt.addingSaturated(Int64(delay)).subtractingSaturated(now.wall)
        return now.boot.advanced(by: .seconds(max(0, wait)))
    }
}
