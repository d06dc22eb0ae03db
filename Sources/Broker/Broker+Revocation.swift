// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Broker {
    /// Sends the revocations that earlier daemons could not send; once, when the store is first read. After a new sign-in
    /// that is not done: it could end the new grant, too. For an account whose file is gone it is impossible: such a
    /// revocation stays pending for a week, in case the file comes back.
    func sendRevocations(_ items: [StoredItem]) {
        guard !hasSentRevocations else { return }
        hasSentRevocations = true
        for item in items where item.kind == .revocation {
            guard let account = accounts[item.account] else {
                removeIfExpired(item)
                continue
            }
            if hasGrant(item.account, items) {
                account.revocation.clear()
            } else {
                Task.onLoop { await account.revocation.send(item) }
            }
        }
    }

    private func hasGrant(_ name: String, _ items: [StoredItem]) -> Bool {
        guard !ports.state.notes.removals.contains(name),
            let item = items.first(where: { $0.kind == .grant && $0.account == name })
        else { return false }
        let record = try? GrantRecord.read(item, at: ports.clock.now)
        return record?.isOver != true
    }

    private func removeIfExpired(_ item: StoredItem) {
        let now = ports.clock.now
        guard let record = try? GrantRecord.read(item, at: now), record.isRevocationExpired(at: now.wall) else {
            return
        }
        Task.onLoop { [ports] in
            do throws(StoreError) {
                try await ports.store.remove(.revocation, account: item.account)
            } catch {
                ports.log.record(.storeFault(account: item.account, error))
            }
        }
    }
}
