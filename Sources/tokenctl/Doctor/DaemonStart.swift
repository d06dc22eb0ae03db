// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How the daemon is started where this is read, by what there is. Pure.
package enum DaemonStart {
    /// The commands, the best first. `units`: what the user manager says of tokend's units; nil where none answers.
    package static func steps(_ units: UserUnits?) -> [String] {
        guard let units, units.isInstalled else {
            return ["start it by hand: tokend", "how to install it: “Install” in its README.md"]
        }
        return [units.fault?.mend ?? "systemctl --user enable --now tokend.socket"]
    }
}

extension Conversation {
    /// The error as the person is told it: where no daemon listens, with the way to start one here.
    func told(_ error: TokenctlError) -> TokenctlError {
        guard error.code == .daemonAbsent else { return error }
        var error = error
        error.next = DaemonStart.steps(LocalExamination(world).userUnits())
        return error
    }
}
