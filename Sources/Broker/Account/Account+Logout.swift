// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

extension Account {
    /// Signs out: no token is served from this moment on, the local secrets go first, then the provider is told.
    ///
    /// - Parameter endSession: whether the person's browser is to be led to the provider's own logout afterwards.
    func logout(revoke: Bool, endSession: Bool = false) async -> LogoutResult {
        login?.giveUp("somebody signed out of “\(name)” during the sign-in")
        moveOn(revoke ? .revoked : .dropped)
        let held = machine.newestRecord
        perform(machine.loggedOut())
        // Until it is gone, the item is not to come back to life.
        let fault = ports.state.change { $0.removals.insert(name) }
        var result = LogoutResult(revoked: false)
        var record = held
        do throws(StoreError) {
            if record == nil { record = try await storedForLogout() }
            try await ports.store.remove(account: name)
            ports.state.change { $0.removals.remove(name) }
        } catch {
            result.pendRemoval(fault, error)
            ports.log.record(.storeFault(account: name, error))
        }
        if revoke, let record { await self.revoke(record, &result) }
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
            // It cannot be revoked, and it can be removed.
            if error.code == .unreadable { return nil }
            throw error
        }
    }

    /// Tells the provider (RFC 7009), refresh token first; never anywhere but where the grant was made for.
    private func revoke(_ record: GrantRecord, _ result: inout LogoutResult) async {
        let tokens: [(Secret, RevocationRequest.Hint)] =
            [
                record.refreshToken.map { ($0, .refreshToken) },
                record.providerToken.map { ($0.accessToken, .accessToken) },
            ]
            .compactMap(\.self)
        guard !tokens.isEmpty else { return }
        guard let configuration, record.destination.allows(configuration, wire: settings.wire) else {
            result.revocationFault =
                "the settings of “\(name)” changed since the sign-in, so its tokens were sent nowhere"
            return
        }
        let access = access(configuration, for: record.destination)
        do {
            let metadata = try await directory.metadata(for: configuration, wire: wire)
            for (token, hint) in tokens {
                result.revocationFault = await access.revoke(token, hint: hint, metadata: metadata)
                guard result.revocationFault == nil else { return }
            }
            result.revoked = true
        } catch {
            result.revocationFault = error.message
        }
    }
}

extension LogoutResult {
    /// The store kept what was to go; `fault` is why that is not noted down, `refusal` what the store said.
    mutating func pendRemoval(_ fault: LastingFault?, _ refusal: StoreError) {
        removalPending = true
        removalStore = refusal.code == .locked ? "locked" : "unavailable"
        guard let fault else { return }
        removalFault = "a restart of tokend before that undoes the sign-out: \(fault.message)"
    }
}
