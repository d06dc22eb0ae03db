// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Systemd
import TokendProtocol

/// Accounts without a user, such as those with `flow: "client_credentials"`: a token can always be fetched.
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

    /// A `login.start` of such an account: fetches a token now, which replaces the held one.
    func beginFetch(_ login: Login, _ configuration: AccountConfiguration) {
        let record = GrantRecord.withoutUser(configuration, wire: context.daemon.wire, at: ports.clock.now.wall)
        let flow = tokenFlow(configuration, record, for: nil, grant.begin())
        login.begin(configuration.flow.loginFlow) {
            [self, locks = grant.locks, name] () async throws(ProtocolError) -> GrantRecord in
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
