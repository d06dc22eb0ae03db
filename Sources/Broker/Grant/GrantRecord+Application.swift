// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets

extension GrantRecord {
    /// Whether what is served is an application's own token, which the provider has never seen and is never shown.
    var servesApplication: Bool { destination.endpoints[.exchange] != nil }

    /// The provider's own access token, as far as it is held: what may be shown to the provider.
    var providerToken: HeldToken? { servesApplication ? untraded : token }

    /// The newest ID token.
    var newestIDToken: Secret? { untraded?.idToken ?? token?.idToken }

    /// The record while its new token, which is the provider's, is not exchanged yet: the earlier token of the application
    /// stays in force.
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
