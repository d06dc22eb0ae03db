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

/// What is noted down about accounts, by name.
package struct LastingNotes: Sendable, Equatable {
    /// Their items could not be removed at logout because the store was locked: no grant comes back to life.
    package var removals: Set<String>
    /// They were removed, and their client's items could not be, because the store was locked.
    package var clientRemovals: Set<String>
    /// Their background work was stopped by a user.
    package var paused: Set<String>
    /// Programs that a user has let have an account's tokens from then on.
    package var decisions: [PolicyList.Decision]
    /// The program that holds the grants, where it is one of several that could: another one in its place has none, and
    /// that signs nobody out.
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
