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
        let grant = machine.snapshot
        switch grant.phase {
        case .unknown, .blocked:
            return
        case .signedOut, .ended:
            guard let record = context.inForce(nil) else { return }
            begin(record)
        case .live:
            let record = context.inForce(grant.record)
            guard record != grant.record else { return }
            if let record { return begin(record) }
            moveOn()
            perform(machine.loggedOut())
        }
    }

    private func begin(_ record: GrantRecord) {
        moveOn()
        perform(machine.signedIn(record, at: ports.clock.now, roll: ports.entropy.roll()))
    }

    /// Fetches a token for the client itself, of that combination.
    func fetch(_ record: GrantRecord, for variant: TokenVariant?) {
        guard let configuration else { return failUnconfigured(record, variant) }
        let flow = ownFlow(configuration, variant)
        let generation = generation
        Task.onLoop { [self] in
            let outcome = await tokenMutex.withLock { await flow.run(record) }
            guard generation == self.generation, let outcome else { return }
            finished(outcome, for: variant)
        }
    }

    private func ownFlow(_ configuration: AccountConfiguration, _ variant: TokenVariant? = nil) -> OwnTokenFlow {
        let generation = generation
        return OwnTokenFlow(
            access: client.access(configuration),
            store: ports.store,
            variant: variant,
            itemMutex: itemMutex,
            wire: context.daemon.wire
        ) { [weak self] in generation == self?.generation }
    }

    /// A `login.start` of such an account: fetches a token now, which replaces the held one.
    func beginFetch(_ login: Login, _ configuration: AccountConfiguration) {
        let flow = ownFlow(configuration)
        let record = GrantRecord.own(configuration, wire: context.daemon.wire, at: ports.clock.now.wall)
        login.begin { [self, tokenMutex, name] () async throws(LoginFailure) -> GrantRecord in
            do throws(ProtocolError) { try await refuseNewer() } catch { throw .fault(error) }
            switch await tokenMutex.withLock({ await flow.run(record) }) {
            case .renewed(let record, isStored: _)?: return record
            case .failed(let failure, _)?: throw .fault(failure.error)
            case .storeBlocked(let error)?: throw .fault(error.protocolError)
            default: throw .fault(ProtocolError(.cancelled, "the sign-in to “\(name)” was given up before it ended"))
            }
        }
    }
}
