// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Broker {
    /// Tells the providers of logouts that a daemon before this one could not tell of; once, when the store is first
    /// read. Where somebody has signed in since, that is not done: it could end the new grant, too. Nobody can be told for
    /// an account whose file is gone: that debt is kept a week, should the file come back.
    func payRevocations(_ items: [StoredItem]) {
        guard !hasPaidRevocations else { return }
        hasPaidRevocations = true
        for item in items where item.kind == .revocation {
            guard let account = accounts[item.account] else {
                forgetIfOver(item)
                continue
            }
            if hasGrant(item.account, items) {
                account.forgetRevocation()
            } else {
                Task.onLoop { await account.payRevocation(item) }
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

    private func forgetIfOver(_ item: StoredItem) {
        let now = ports.clock.now
        guard let record = try? GrantRecord.read(item, at: now), record.isDebtOver(at: now.wall) else { return }
        Task.onLoop { [ports] in
            do throws(StoreError) {
                try await ports.store.remove(.revocation, account: item.account)
            } catch {
                ports.log.record(.storeFault(account: item.account, error))
            }
        }
    }
}
