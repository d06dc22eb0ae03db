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

    /// How one that runs is started anew. `isService`: systemd started it, or would.
    package static func again(isService: Bool) -> String {
        isService ? "systemctl --user restart tokend" : "end tokend, and start it again as it was started"
    }

    /// What gives the socket a place, where the session has no runtime folder: daemon and clients need the same.
    package static func placeSteps(canLinger: Bool) -> [String] {
        (canLinger ? ["loginctl enable-linger   (systemd makes the folder)"] : [])
            + ["export XDG_RUNTIME_DIR=FOLDER   (one of your own, mode 0700; for tokend too)"]
    }
}

extension Conversation {
    /// The error as the user is told it: where no daemon listens, with the way to start one here.
    func told(_ error: TokenctlError) -> TokenctlError {
        guard error.code == .daemonAbsent else { return error }
        var error = error
        let examination = LocalExamination(world)
        error.next =
            examination.lacksPlace
            ? DaemonStart.placeSteps(canLinger: world.findProgram("loginctl") != nil)
            : DaemonStart.steps(examination.userUnits())
        return error
    }
}
