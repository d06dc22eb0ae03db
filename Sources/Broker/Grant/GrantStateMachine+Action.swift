// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

extension GrantStateMachine {
    /// What the shell must do.
    package enum Action: Sendable, Equatable {
        /// Read the item from the store.
        case load
        /// Send this record's refresh token, for a token of that combination.
        case refresh(GrantRecord, for: TokenVariant? = nil)
        /// Write this record again, which the store refused before.
        case write(GrantRecord)
        /// Write this record, which tells a restart that the provider refuses it.
        case note(GrantRecord)
        /// Remove what is left of a grant that ended long ago.
        case clear
        /// What was waited for has ended: everyone who waits gets an answer by `resume`.
        case resumeWaiters(renewed: Bool, of: TokenVariant? = nil)
    }

    /// What a client gets.
    package enum Answer: Sendable {
        case serve(HeldToken, refreshed: Bool)
        case wait
        case fail(ProtocolError)
    }
}
