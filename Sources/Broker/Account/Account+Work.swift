// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// Does what the machine asks for.
    func perform(_ actions: [GrantStateMachine.Action]) {
        for action in actions {
            switch action {
            case .load: load()
            case .refresh(let record, for: let variant) where record.isOwn: fetch(record, for: variant)
            case .refresh(let record, for: let variant): refresh(record, for: variant)
            case .write(let record): write(record)
            case .note(let record): note(record)
            case .clear: clear()
            case .settle(let renewed, of: let variant): resumeWaiters(renewed: renewed, of: variant)
            }
        }
        arm()
        guard !actions.isEmpty else { return }
        endWatch.watch(machine.record)
        onChange?()
    }

    /// One timer, at whatever is due next; what is further ahead than a day is looked at again then (engine rule 14).
    func arm() {
        let deadline = machine.deadline
        guard deadline != armedFor else { return }
        timer?.cancel()
        timer = nil
        armedFor = deadline
        guard let deadline else { return }
        timer = ports.clock.schedule(at: min(deadline, horizon), accuracy: .seconds(1)) { [weak self] in
            self?.timerFired()
        }
    }

    private func timerFired() {
        let now = ports.clock.now
        if let armedFor, armedFor > now.boot { machine.lookAgain(at: now) }
        armedFor = nil
        deadlineReached()
    }

    /// The latest moment that a timer is set for.
    var horizon: BootInstant { ports.clock.now.boot.advanced(by: .seconds(RefreshPolicy.longestSleep)) }

    func deadlineReached() {
        perform(machine.deadlineReached(at: ports.clock.now, roll: ports.entropy.roll()))
    }

    /// When the next refresh is due by itself.
    var nextRefresh: BootInstant? { machine.nextRefresh }

    private func refresh(_ record: GrantRecord, for variant: TokenVariant?) {
        guard let configuration else { return failUnconfigured(record, variant) }
        let generation = generation
        var flow = RefreshFlow(
            access: client.access(configuration, for: record.destination),
            store: ports.store,
            variant: variant,
            itemMutex: itemMutex
        ) { [weak self] in
            guard let self else { return .dropped }
            return generation == self.generation ? .wanted : lateFate
        } mend: { [weak self] in
            await self?.mend()
        } onDroppedIDToken: { [weak self] reason in
            self?.noteDroppedIDToken(reason)
        }
        flow.onRollback = { [name, ports] in ports.log.record(.storeRolledBack(account: name)) }
        Task.onLoop { [self, flow] in
            let outcome = await tokenMutex.withLock { await flow.run(record) }
            guard generation == self.generation, let outcome else { return }
            finished(outcome, for: variant)
        }
    }

    /// Tells once for each sign-in that ID tokens do not come as they should: what fails a check now does at each renewal.
    private func noteDroppedIDToken(_ reason: String) {
        guard !hasDroppedIDToken else { return }
        hasDroppedIDToken = true
        ports.log.record(.idTokenDropped(account: name, reason: reason))
    }

    /// Ends what was begun for an account whose file is gone or has a fault: nothing is sent, and nobody waits for ever.
    func failUnconfigured(_ record: GrantRecord, _ variant: TokenVariant?) {
        let generation = generation
        Task.onLoop { [self] in
            guard generation == self.generation else { return }
            let failure = RefreshFailure(kind: .misconfigured, error: context.unusable)
            finished(.failed(failure, record.pending), for: variant)
        }
    }

    func finished(_ outcome: RefreshOutcome, for variant: TokenVariant?) {
        if case .renewed(let record, isStored: _) = outcome, record.narrowingSticks == true,
            machine.record?.narrowingSticks != true
        {
            ports.log.record(.tokenRefused(account: name, machine.narrowingSticks))
        }
        let actions: [GrantStateMachine.Action]
        let (now, roll) = (ports.clock.now, ports.entropy.roll())
        if case .replaced(let record) = outcome {
            actions = machine.replaced(by: record, isHeldBack: !context.isAllowed(record), at: now, roll: roll)
        } else {
            actions = machine.refreshFinished(outcome, at: now, roll: roll)
        }
        report(outcome, for: variant)
        for case .note(let record) in actions {
            let oauthError = record.ended?.oauthError
            ports.log.record(.grantEnded(account: name, reason: .refused, oauthError: oauthError))
        }
        perform(actions)
    }

    private func report(_ outcome: RefreshOutcome, for variant: TokenVariant?) {
        switch outcome {
        case .renewed(let record, isStored: _):
            onRefresh?()
            ports.log.record(.tokenRefreshed(account: name, expiresAt: record.token?.expiresAt))
        case .derived(let derived, _, isStored: _):
            onRefresh?()
            ports.log.record(.tokenDerived(account: name, derived.variant))
        case .unstored(_, let error, _, _):
            onRefresh?()
            ports.log.record(.storeFault(account: name, error))
        case .storeBlocked(let error):
            ports.log.record(.storeFault(account: name, error))
        case .refused(_, let failure) where failure.isOwn && variant != nil,
            .failed(let failure, _) where failure.isOwn && variant != nil:
            onRefresh?()
            ports.log.record(.tokenRefused(account: name, failure.error))
        case .refused(_, let failure), .failed(let failure, _):
            onRefresh?()
            ports.log.record(.refreshFailed(account: name, untilNext(failure.error)))
        case .ended(_, let error):
            onRefresh?()
            if let error { ports.log.record(.storeFault(account: name, error)) }
        case .vanished:
            ports.log.record(.grantEnded(account: name, reason: .signedOut, oauthError: nil))
        case .replaced:
            break
        }
        if case .ended(let end) = machine.snapshot.phase {
            ports.log.record(.grantEnded(account: name, reason: end.reason, oauthError: end.oauthError))
        }
    }

    /// The error with the time at which the daemon tries again, where it does by itself.
    private func untilNext(_ error: ProtocolError) -> ProtocolError {
        guard let next = machine.nextRefresh else { return error }
        var error = error
        error.data["retry_at"] = .integer(ports.clock.now.wall(of: next))
        return error
    }
}
