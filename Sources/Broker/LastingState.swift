// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
package import TokendProtocol

/// State that survives a restart and is not secret.
@LoopActor package protocol LastingState: AnyObject, Sendable {
    /// The current state, durable or not.
    var notes: LastingNotes { get }

    /// Why the state could not be read, or would not survive a restart; nil if neither.
    var fault: LastingFault? { get }

    /// Changes the state; durable on return.
    ///
    /// - Returns: why it is not durable. The change holds until the daemon ends, and the write is tried again.
    @discardableResult
    func change(_ edit: (inout LastingNotes) -> Void) -> LastingFault?
}

/// The persistent notes about accounts, by name.
package struct LastingNotes: Sendable, Equatable {
    /// Accounts whose items could not be removed at logout because the store was locked; their grants must not be used
    /// again.
    package var removals: Set<String>
    /// Removed accounts whose client items could not be removed because the store was locked.
    package var clientRemovals: Set<String>
    /// Accounts whose background work a user stopped.
    package var paused: Set<String>
    /// Programs that a user has allowed to get an account's tokens from then on.
    package var decisions: [PolicyList.Decision]
    /// The program that holds the grants, if there are several candidates: if another one takes its place, it has no
    /// grants, and no account is signed out by that.
    package var keyring: String?

    package init(
        removals: Set<String> = [],
        clientRemovals: Set<String> = [],
        paused: Set<String> = [],
        decisions: [PolicyList.Decision] = [],
        keyring: String? = nil
    ) {
        self.removals = removals
        self.clientRemovals = clientRemovals
        self.paused = paused
        self.decisions = decisions
        self.keyring = keyring
    }
}

/// Why something would not survive a restart.
package struct LastingFault: Error, Sendable, Equatable {
    /// What failed, and with which file.
    package var message: String

    package init(message: String) {
        self.message = message
    }
}
