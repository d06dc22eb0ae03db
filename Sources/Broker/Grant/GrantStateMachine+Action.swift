// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

extension GrantStateMachine {
    /// What the caller must do.
    package enum Action: Sendable, Equatable {
        /// Read the item from the store.
        case load
        /// Send this record's refresh token, for a token of that variant.
        case refresh(GrantRecord, for: TokenVariant? = nil)
        /// Write this record again; the store refused it before.
        case write(GrantRecord)
        /// Write this record, which tells a restart that the provider refuses the grant.
        case note(GrantRecord)
        /// Remove the item of a grant that ended long ago.
        case clear
        /// The work has ended: every waiter gets an answer by `resume`.
        case resumeWaiters(renewed: Bool, of: TokenVariant? = nil)
    }

    /// What a client gets.
    package enum Answer: Sendable {
        case serve(HeldToken, refreshed: Bool)
        case wait
        case fail(ProtocolError)
    }
}
