// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// The application's own token of a new grant (`exchange` in the account's file).
enum ApplicationGrant {
    /// The backend issued one.
    case held(HeldToken)
    /// The backend is unavailable: the provider's token is kept, and sent to it again.
    case owed(HeldToken)

    /// Puts it into the grant, instead of the provider's token.
    func adopt(into record: inout GrantRecord) {
        switch self {
        case .held(let token): record = record.traded(for: token)
        case .owed: record = record.awaitingTrade(after: nil)
        }
    }
}
