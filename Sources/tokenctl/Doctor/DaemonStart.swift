// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How the daemon is started, or reached, where this is read, by what there is. Pure.
package enum DaemonStart {
    /// The commands, the best first.
    package static func steps(_ place: DaemonPlace) -> [String] {
        if let caller = place.caller { return ["run it as \(caller), without sudo: the sign-ins are \(caller)'s"] }
        if place.isOthers { return ["log in as yourself: su and sudo keep the other's folder"] }
        if place.isContainer { return [mountSocket] }
        if place.lacksFolder { return placeSteps(canLinger: place.canLinger) }
        guard let units = place.units, units.isInstalled else {
            return ["start it by hand: tokend", mountSocket, "how to install it: “Install” in its README.md"]
        }
        if let fault = units.fault { return [fault.mend] }
        guard units.isListening else { return ["systemctl --user enable --now tokend.socket"] }
        return [UserUnits.makeSocketAnew]
            + (place.namesSocket ? ["unset TOKEND_SOCKET   (systemd's tokend.socket has a place of its own)"] : [])
    }

    private static let mountSocket =
        "in a container: mount the socket's folder into it, and name the socket by TOKEND_SOCKET"

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

extension CommandContext {
    /// The error for the user: if none of the user's daemons listens, with how to start one.
    func told(_ error: TokenctlError) -> TokenctlError {
        guard error.code == .daemonAbsent || error.code == .untrustedPeer else { return error }
        let place = LocalExamination(world).place()
        guard error.code == .daemonAbsent || place.isOthers || place.caller != nil else { return error }
        var error = error
        error.next = DaemonStart.steps(place)
        return error
    }
}
