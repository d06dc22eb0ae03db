// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets

extension GrantRecord {
    /// Whether the served token is an application's own; the provider does not know it, and it is never sent there.
    var servesApplication: Bool { destination.endpoints[.exchange] != nil }

    /// The provider's own access token, if it is held: the one that may be sent to the provider.
    var providerToken: HeldToken? { servesApplication ? untraded : token }

    /// The newest ID token.
    var newestIDToken: Secret? { untraded?.idToken ?? token?.idToken }

    /// The record while its new provider token is not exchanged yet: the application's earlier token stays in force.
    func awaitingTrade(after old: HeldToken?) -> GrantRecord {
        var record = self
        record.untraded = record.token
        record.token = old
        return record
    }

    /// The record with the application's token.
    func traded(for token: HeldToken) -> GrantRecord {
        var record = self
        record.token = token
        record.untraded = nil
        return record
    }
}
