// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
package import TokendProtocol

extension GrantStateMachine {
    /// Answers a client from a live grant, or begins a refresh of it.
    mutating func serve(
        _ grant: inout LiveGrant,
        _ demand: TokenDemand,
        at now: Moment
    ) -> (answer: Answer, actions: [Action]) {
        if isHeldBack { return (.fail(loginRequired(.configChanged)), []) }
        let held = grant.token(of: demand.variant)
        let isTriedAgain = demand.isPersonal && grant.blockedUntil(demand.variant, at: now) == nil
        if let end = grant.record.refusal, !grant.isRefreshing, !isTriedAgain {
            return (afterEnd(end, held: held, demand, at: now), [])
        }
        if let error = missingScope(demand, held: held, granted: grant.record.scope) { return (.fail(error), []) }
        if let variant = demand.variant { grant.variants.ask(for: variant) } else { grant.wasAskedFor = true }
        if let held, !demand.forces(past: held), suffices(held, grant, demand, at: now) {
            return (.serve(held, refreshed: false), [])
        }
        return needsRefresh(&grant, demand, at: now)
    }

    /// Whether the held token is valid for as long as required, regardless of its rejection by an API.
    private func suffices(_ held: HeldToken, _ grant: LiveGrant, _ demand: TokenDemand, at now: Moment) -> Bool {
        guard let lifetime = held.wholeLife, let remaining = held.remaining(at: now) else {
            // Without a known end it is good until the precautionary refresh.
            return !grant.record.canRenew || !held.isSuspect(at: now)
        }
        if held.holds(demand.minValid, at: now) { return true }
        // If `minValid` exceeds the token's lifetime: one refresh, then the token is good until half its lifetime. The
        // same for a token obtained just now: a `minValid` one second below the lifetime would cost a refresh each second.
        let isNew = held.age(at: now) < .seconds(min(settings.forcedGap, 60))
        return (lifetime <= demand.minValid || isNew) && remaining > lifetime / 2
    }

    private mutating func needsRefresh(
        _ grant: inout LiveGrant,
        _ demand: TokenDemand,
        at now: Moment
    ) -> (answer: Answer, actions: [Action]) {
        if grant.isRefreshing { return (.wait, []) }
        let variant = demand.variant
        let held = grant.token(of: variant)
        var isForced = demand.forces(past: held)
        if isForced, !demand.isPersonal, let held, let end = forcedGapEnd, end > now.boot {
            if suffices(held, grant, demand, at: now) {
                guard demand.rejected == held.accessToken else { return (.serve(held, refreshed: false), []) }
                return (.fail(refusedWithinGap(held, until: end, at: now)), [])
            }
            isForced = false
        }
        if let error = grant.pendingWrite?.error {
            return (fallBack(grant, demand, error.protocolError, at: now), [])
        }
        guard grant.record.canRenew else {
            return (fallBack(grant, demand, notRenewable, at: now), [])
        }
        if let limit = variant?.scope, variant?.choosesResource == false {
            let granted = grant.record.scope
            let error = granted.contains(all: limit) ? nil : insufficientScope(limit, granted: granted)
            if let error = grant.record.narrowingSticks == true ? narrowingSticks : error {
                return (fallBack(grant, demand, error, at: now), [])
            }
        }
        if let until = grant.blockedUntil(variant, at: now), let failure = grant.failure(of: variant) {
            return (afterFailure(failure, until: until, grant, demand, at: now), [])
        }
        if variant != nil, held == nil, let until = fetches.take(at: now.boot) {
            return (.fail(outOfFetches(until: until, at: now)), [])
        }
        return (.wait, [grant.begin(RefreshJob(variant: variant, isForced: isForced))])
    }

    /// Until when clients cannot force another refresh; one for a variant counts for all, which share the refresh
    /// token.
    private var forcedGapEnd: BootInstant? {
        lastForced.map { $0.advanced(by: .seconds(settings.forcedGap)) }
    }

    /// An API refused a token within the gap: a token obtained since is the freshest possible, and an older one must
    /// wait.
    private func refusedWithinGap(_ held: HeldToken, until end: BootInstant, at now: Moment) -> ProtocolError {
        guard held.age(at: now) >= .seconds(settings.forcedGap) else { return tokenRejected }
        return busy(
            "programs have had the tokens of “\(account)” renewed just now, which they may once in "
                + "\(settings.forcedGap) s; try again then",
            until: end,
            at: now
        )
    }

    /// The answer to a client that waited for a live grant; nil: it asks again.
    func answer(
        from grant: LiveGrant,
        renewed: Bool,
        of variant: TokenVariant?,
        _ demand: TokenDemand,
        at now: Moment
    ) -> Answer? {
        if isHeldBack { return nil }
        let isIts = demand.variant == variant
        // Even for a very short lifetime: another refresh would bring no better token, in a loop.
        if isIts, renewed, let held = grant.token(of: variant), !held.cameTooLate(at: now) {
            return fresh(held, demand)
        }
        if let end = grant.record.refusal {
            return afterEnd(end, held: grant.token(of: demand.variant), demand, at: now)
        }
        if let error = grant.retry.storeError { return fallBack(grant, demand, error.protocolError, at: now) }
        guard let failure = isIts ? grant.failure(of: variant) : grant.retry.sharedFailure else { return nil }
        let until = grant.blockedUntil(demand.variant, at: now) ?? now.boot
        return afterFailure(failure, until: until, grant, demand, at: now)
    }

    /// The answer with a token that was just obtained.
    private func fresh(_ held: HeldToken, _ demand: TokenDemand) -> Answer {
        if let error = missingScope(demand, held: held, granted: held.scope) { return .fail(error) }
        guard demand.rejected != held.accessToken else { return .fail(tokenRejected) }
        return .serve(held, refreshed: true)
    }

    private func afterFailure(
        _ failure: RefreshFailure,
        until: BootInstant,
        _ grant: LiveGrant,
        _ demand: TokenDemand,
        at now: Moment
    ) -> Answer {
        let held = grant.token(of: demand.variant)
        return fallBack(grant, demand, unreachable(failure, retryAt: until, held, at: now), at: now)
    }

    /// Without an explicit `min_valid`, a token that is still valid is served whatever the provider's state.
    private func fallBack(
        _ grant: LiveGrant,
        _ demand: TokenDemand,
        _ error: ProtocolError,
        at now: Moment
    ) -> Answer {
        guard let held = grant.token(of: demand.variant), held.holds(0, at: now), !demand.forces(past: held),
            !demand.isExplicit || held.wholeLife == nil
        else { return .fail(error) }
        return .serve(held, refreshed: false)
    }

    /// The answer from an ended grant.
    func afterEnd(
        _ end: GrantRecord.Ended,
        held: HeldToken?,
        _ demand: TokenDemand,
        at now: Moment
    ) -> Answer {
        // A token without a known end would be served for ever: no refresh replaces it any more.
        guard let held, !demand.forces(past: held), held.holds(demand.isExplicit ? demand.minValid : 0, at: now),
            !held.isSuspect(at: now)
        else {
            return .fail(loginRequired(end.reason, oauthError: end.oauthError, message: end.message))
        }
        if let error = missingScope(demand, held: held, granted: held.scope) { return .fail(error) }
        return .serve(held, refreshed: false)
    }
}

// MARK: - Errors for clients

extension GrantStateMachine {
    func loginRequired(_ reason: EndReason, oauthError: String? = nil, message: String? = nil) -> ProtocolError {
        var data: JSONObject = ["account": .string(account), "reason": .string(reason.rawValue)]
        if let oauthError { data["oauth_error"] = .string(oauthError) }
        return ProtocolError(.loginRequired, reason.sentence(account: account, message: message), data: data)
    }

    private var notRenewable: ProtocolError {
        ProtocolError(
            .loginRequired,
            "the token of “\(account)” has ended and the provider gave no refresh token; "
                + "sign in with: tokenctl login \(account)",
            data: ["account": .string(account), "reason": .string(EndReason.ended.rawValue)]
        )
    }

    /// No down-scoped token is requested: it would down-scope the whole sign-in.
    var narrowingSticks: ProtocolError {
        ProtocolError(
            .providerError,
            "the provider of “\(account)” narrows the whole sign-in where one narrower token is asked for, "
                + "so none is asked for; if scopes are missing now, sign in with: tokenctl login \(account)",
            data: ["account": .string(account)]
        )
    }

    /// So many variants were requested that the next one has to wait.
    private func outOfFetches(until end: BootInstant, at now: Moment) -> ProtocolError {
        busy(
            "tokens of “\(account)” for so many different resources, audiences or scopes were asked for that this one "
                + "has to wait; try again in a few seconds",
            until: end,
            at: now
        )
    }

    /// A passing error that names its end.
    private func busy(_ message: String, until end: BootInstant, at now: Moment) -> ProtocolError {
        ProtocolError(.providerUnreachable, message, data: ["retry_at": .integer(now.wall(rounding: end))])
    }

    private var tokenRejected: ProtocolError {
        ProtocolError(
            .tokenRejected,
            "the API refuses a token that the provider issued just now; sign in to “\(account)” again, "
                + "or ask who runs the API",
            data: ["account": .string(account)]
        )
    }

    /// The scope of a held token is known. For a future one the grant's scope counts, if it is requested by scope
    /// (RFC 6749, section 6); what another resource gets is only in the answer.
    private func missingScope(_ demand: TokenDemand, held: HeldToken?, granted: Scope) -> ProtocolError? {
        if let variant = demand.variant, variant.scope == nil || variant.choosesResource, held == nil { return nil }
        if let limit = demand.variant?.scope, let wanted = demand.scope, !limit.contains(all: wanted) {
            return insufficientScope(wanted, granted: limit)
        }
        let granted = held?.scope ?? granted
        guard let wanted = demand.variant?.scope ?? demand.scope, !granted.contains(all: wanted) else { return nil }
        return insufficientScope(wanted, granted: granted)
    }

    private func insufficientScope(_ wanted: Scope, granted: Scope) -> ProtocolError {
        // A shell quote would end the quoted word that the user copies.
        let word = wanted.text.contains("'") ? "SCOPE" : DisplayText.sanitized(wanted.text)
        return ProtocolError(
            .insufficientScope,
            "the sign-in of “\(account)” does not cover all of “\(wanted.text)”; "
                + "add it with: tokenctl login \(account) --scope '\(word)'",
            data: ["granted": .string(granted.text), "requested": .string(wanted.text)]
        )
    }

    private func unreachable(
        _ failure: RefreshFailure,
        retryAt: BootInstant,
        _ held: HeldToken?,
        at now: Moment
    ) -> ProtocolError {
        var error = failure.error
        guard error.kind == .providerUnreachable else { return error }
        error.data["retry_at"] = .integer(now.wall(rounding: retryAt))
        if let remaining = held?.remaining(at: now), remaining > 0 {
            error.data["expires_in"] = .integer(remaining)
        }
        return error
    }
}

extension HeldToken {
    /// Whether it expired while the machine slept or the store was locked. A lifetime that a slow request can exceed does
    /// not count.
    fileprivate func cameTooLate(at now: Moment) -> Bool {
        guard let wholeLife, wholeLife >= 60 else { return false }
        return remaining(at: now) == 0
    }
}

extension Moment {
    /// The unix time of a future instant, rounded up: a retry one second early would fail the same way.
    fileprivate func wall(rounding instant: BootInstant) -> Int64 {
        let wait = boot.duration(to: instant)
        return wall.addingSaturated(max(0, wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)))
    }
}

extension StoreError {
    /// The error of the store, for clients.
    package var protocolError: ProtocolError {
        guard code != .passphraseUnwanted else { return .invalidParams(member: "passphrase", message) }
        var error = ProtocolError(code == .locked || code == .dismissed ? .storeLocked : .storeUnavailable, message)
        if let passphrase { error.data["passphrase"] = .string(passphrase.rawValue) }
        if let file { error.data["file"] = .string(file) }
        if let provider { error.data["provider"] = .string(provider) }
        if code == .frozen { error.data["frozen"] = true }
        return error
    }
}
