// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Systemd
package import TokendProtocol

/// What outlives a restart and is no secret.
@LoopActor package protocol LastingState: AnyObject, Sendable {
    /// What holds now, durable or not.
    var notes: LastingNotes { get }

    /// Why what holds is not what was noted down before, or would not outlive a restart; nil where all is well.
    var fault: LastingFault? { get }

    /// Changes what holds; durable on return.
    ///
    /// - Returns: why it is not durable. It holds all the same until the daemon ends, and is tried again.
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

    package init(
        removals: Set<String> = [],
        clientRemovals: Set<String> = [],
        paused: Set<String> = [],
        decisions: [PolicyList.Decision] = []
    ) {
        self.removals = removals
        self.clientRemovals = clientRemovals
        self.paused = paused
        self.decisions = decisions
    }
}

/// Why something would not outlive a restart.
package struct LastingFault: Error, Sendable, Equatable {
    /// What failed, and with which file.
    package var message: String

    package init(message: String) {
        self.message = message
    }
}
