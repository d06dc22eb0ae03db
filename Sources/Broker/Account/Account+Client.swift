// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

extension Account {
    /// Keeps what a user gives for the account's client, in the secret store and nowhere else.
    ///
    /// - Throws: what is wrong with it, or the store's error; nothing is kept then.
    func giveSecret(_ kind: ClientSecretKind, _ value: Secret) async throws(ProtocolError) {
        try await client.give(kind, value)
        clientChanged()
    }

    /// What a provider or the missing secret refused before is tried again.
    func clientChanged() {
        grant.reconfigure()
        changed()
    }
}
