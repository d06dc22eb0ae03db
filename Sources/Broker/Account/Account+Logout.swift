// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
package import TokendProtocol

extension Account {
    /// Refuses to end a grant that a newer tokend has stored.
    ///
    /// - Throws: if there is such a grant. If the store does not answer, nothing is thrown.
    func refuseNewer() async throws(ProtocolError) {
        guard grant.newestRecord == nil else { return }
        do throws(StoreError) {
            try await ports.store.refuseNewer(account: name)
        } catch {
            if error.code == .newer { throw error.protocolError }
        }
    }

    /// Signs out: no token is served from this moment on, the local secrets go first, then the provider is told.
    ///
    /// - Parameter endSession: whether the user's browser opens the provider's own logout afterwards.
    package func logout(revoke: Bool, endSession: Bool = false) async -> LogoutResult {
        login?.giveUp("“\(name)” was signed out during the sign-in")
        let held = grant.newestRecord
        perform(grant.loggedOut(revoke ? .revoked : .dropped))
        // Until the item is removed, it must not be loaded again.
        let fault = ports.state.change { $0.removals.insert(name) }
        var result = LogoutResult(revoked: false)
        var record = held
        do throws(StoreError) {
            if record == nil { record = try await storedForLogout() }
            // While another write is under way there is no copy: a logout does not wait for that, and that write revokes
            // its own result.
            if revoke, let record, !grant.locks.isItemHeld { await revocation.add(record) }
            try await ports.store.remove(account: name)
            ports.state.change { $0.removals.remove(name) }
        } catch {
            result.pendRemoval(fault, error)
            ports.log.record(.storeFault(account: name, error))
        }
        if revoke, let record { await revocation.send(record, &result) }
        if endSession { await openEndSession(record, &result) }
        ports.log.record(.loggedOut(account: name, revocationFault: result.revocationFault))
        settleFlow()
        return result
    }

    private func storedForLogout() async throws(StoreError) -> GrantRecord? {
        guard let item = try await ports.store.item(account: name) else { return nil }
        do {
            return try GrantRecord.read(item, at: ports.clock.now)
        } catch {
            // An unreadable item cannot be revoked, but it can be removed.
            if error.code == .unreadable { return nil }
            throw error
        }
    }
}

extension LogoutResult {
    /// The store did not remove the item; `fault` is why that could not be noted, `refusal` the store's error.
    mutating func pendRemoval(_ fault: LastingFault?, _ refusal: StoreError) {
        removalPending = true
        removalStore = refusal.code == .locked ? "locked" : "unavailable"
        guard let fault else { return }
        removalFault = "a restart of tokend before that undoes the sign-out: \(fault.message)"
    }
}
