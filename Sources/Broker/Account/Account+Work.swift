// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// Performs the machine's actions.
    func perform(_ actions: [GrantStateMachine.Action]) {
        for action in actions {
            switch action {
            case .load: load()
            case .refresh(let record, for: let variant): fetchToken(record, for: variant)
            case .write(let record): write(record)
            case .note(let record): note(record)
            case .clear: clear()
            case .resumeWaiters(let renewed, of: let variant): resumeWaiters(renewed: renewed, of: variant)
            }
        }
        guard !actions.isEmpty else { return }
        endWatch.watch(grant.record)
        changed()
    }

    private func fetchToken(_ record: GrantRecord, for variant: TokenVariant?) {
        guard let configuration else { return failUnconfigured(record, variant) }
        let work = grant.begin()
        let flow = tokenFlow(configuration, record, for: variant, work)
        work.start { [self, flow] in
            await grant.locks.withToken { await flow.run(record) }
        } then: { [self] outcome in
            if let outcome { finished(outcome, for: variant) }
        }
    }

    /// The flow that gets a token from the grant's source.
    func tokenFlow(
        _ configuration: AccountConfiguration,
        _ record: GrantRecord,
        for variant: TokenVariant?,
        _ work: GrantWork
    ) -> any TokenFlow {
        switch record.source {
        case .refreshToken:
            let access = client.access(configuration, for: record.destination)
            var flow = RefreshFlow(access: access, store: ports.store, variant: variant, work: work)
            flow.onRollback = { [name, ports] in ports.log.record(.storeRolledBack(account: name)) }
            flow.onDroppedIDToken = { [weak self] reason in
                guard let self, grant.noteDroppedIDToken() else { return }
                ports.log.record(.idTokenDropped(account: name, reason: reason))
            }
            return flow
        case .clientCredentials:
            return ClientCredentialsFlow(
                access: client.access(configuration),
                store: ports.store,
                variant: variant,
                work: work,
                wire: context.daemon.wire
            )
        }
    }

    /// Ends work that was begun for an account whose file is gone or has a fault: nothing is sent, and all waiters are
    /// answered.
    private func failUnconfigured(_ record: GrantRecord, _ variant: TokenVariant?) {
        grant.begin().start {
        } then: { [self] in
            let failure = RefreshFailure(kind: .misconfigured, error: context.unusable)
            finished(.failed(failure, record.pending), for: variant)
        }
    }

    func finished(_ outcome: RefreshOutcome, for variant: TokenVariant?) {
        if case .renewed(let record, isStored: _) = outcome, record.narrowingSticks == true,
            grant.record?.narrowingSticks != true
        {
            ports.log.record(.tokenRefused(account: name, grant.narrowingSticks))
        }
        let actions = grant.refreshFinished(outcome)
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
            refreshAnswered()
            ports.log.record(.tokenRefreshed(account: name, expiresAt: record.token?.expiresAt))
        case .derived(let derived, _, isStored: _):
            refreshAnswered()
            ports.log.record(.tokenDerived(account: name, derived.variant))
        case .unstored(_, let error, _, _):
            refreshAnswered()
            ports.log.record(.storeFault(account: name, error))
        case .storeBlocked(let error):
            ports.log.record(.storeFault(account: name, error))
        case .refused(_, let failure) where failure.concernsVariantAlone && variant != nil,
            .failed(let failure, _) where failure.concernsVariantAlone && variant != nil:
            refreshAnswered()
            ports.log.record(.tokenRefused(account: name, failure.error))
        case .refused(_, let failure), .failed(let failure, _):
            refreshAnswered()
            ports.log.record(.refreshFailed(account: name, untilNext(failure.error)))
        case .ended(_, let error):
            refreshAnswered()
            if let error { ports.log.record(.storeFault(account: name, error)) }
        case .vanished:
            ports.log.record(.grantEnded(account: name, reason: .signedOut, oauthError: nil))
        case .replaced:
            break
        }
        if case .ended(let end) = grant.snapshot.phase {
            ports.log.record(.grantEnded(account: name, reason: end.reason, oauthError: end.oauthError))
        }
    }

    /// The error with the time of the daemon's next attempt, if there is one.
    private func untilNext(_ error: ProtocolError) -> ProtocolError {
        guard let next = grant.nextRefresh else { return error }
        var error = error
        error.data["retry_at"] = .integer(ports.clock.now.wall(of: next))
        return error
    }
}
