// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Broker {
    /// Tells the providers of logouts that a daemon before this one could not tell of; once, when the store is first
    /// read. Nobody can be told for an account whose file is gone: that debt is kept a week, should the file come back.
    func payRevocations(_ items: [StoredItem]) {
        guard !hasPaidRevocations else { return }
        hasPaidRevocations = true
        for item in items where item.kind == .revocation {
            if let account = accounts[item.account] {
                Task.onLoop { await account.payRevocation(item) }
            } else if let record = try? GrantRecord.read(item, at: ports.clock.now),
                record.isDebtOver(at: ports.clock.now.wall)
            {
                Task.onLoop { [ports] in try? await ports.store.remove(.revocation, account: item.account) }
            }
        }
    }
}
