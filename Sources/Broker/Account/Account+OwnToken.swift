// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// Accounts with `flow: "client_credentials"`: no user signs in, so a token can always be fetched.
extension Account {
    /// Makes the held grant fit the account's flow, after a change of its file or a logout.
    func settleFlow() {
        guard configuration != nil else { return }
        let held = grant.snapshot
        switch held.phase {
        case .unknown, .blocked:
            return
        case .signedOut, .ended:
            if let record = context.inForce(nil) { perform(grant.signedIn(record)) }
        case .live:
            let record = context.inForce(held.record)
            guard record != held.record else { return }
            perform(record.map { grant.signedIn($0) } ?? grant.loggedOut())
        }
    }

    /// Fetches a token for the client itself, of that combination.
    func fetch(_ record: GrantRecord, for variant: TokenVariant?) {
        guard let configuration else { return failUnconfigured(record, variant) }
        let work = grant.begin()
        let flow = ownFlow(configuration, variant, work)
        work.start { [self] in
            await grant.locks.withToken { await flow.run(record) }
        } then: { [self] outcome in
            if let outcome { finished(outcome, for: variant) }
        }
    }

    private func ownFlow(
        _ configuration: AccountConfiguration,
        _ variant: TokenVariant?,
        _ work: GrantWork
    ) -> OwnTokenFlow {
        OwnTokenFlow(
            access: client.access(configuration),
            store: ports.store,
            variant: variant,
            work: work,
            wire: context.daemon.wire
        )
    }

    /// A `login.start` of such an account: fetches a token now, which replaces the held one.
    func beginFetch(_ login: Login, _ configuration: AccountConfiguration) {
        let flow = ownFlow(configuration, nil, grant.begin())
        let record = GrantRecord.own(configuration, wire: context.daemon.wire, at: ports.clock.now.wall)
        login.begin { [self, locks = grant.locks, name] () async throws(ProtocolError) -> GrantRecord in
            try await refuseNewer()
            switch await locks.withToken({ await flow.run(record) }) {
            case .renewed(let record, isStored: _)?: return record
            case .failed(let failure, _)?: throw failure.error
            case .storeBlocked(let error)?: throw error.protocolError
            default: throw ProtocolError(.cancelled, "the sign-in to “\(name)” was given up before it ended")
            }
        }
    }
}
