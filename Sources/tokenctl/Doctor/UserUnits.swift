// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What `systemctl --user show` says of tokend's units. Pure.
package struct UserUnits: Sendable, Equatable {
    /// The command whose output this reads, without its program.
    package static let arguments = [
        "--user", "show", "tokend.socket", "tokend.service",
        "--property=Id", "--property=LoadState", "--property=UnitFileState", "--property=ActiveState",
        "--property=ConditionResult", "--property=ConditionTimestampMonotonic",
    ]

    private let units: [String: [String: String]]

    /// From the output: `NAME=VALUE` lines, a blank line between units.
    package init(_ output: String) {
        var units: [String: [String: String]] = [:]
        var current: [String: String] = [:]
        for line in (output + "\n\n").split(separator: "\n", omittingEmptySubsequences: false) {
            let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 {
                current[String(pair[0])] = String(pair[1])
            } else if let id = current["Id"] {
                units[id] = current
                current = [:]
            }
        }
        self.units = units
    }

    /// Whether systemd knows the socket unit.
    package var isInstalled: Bool {
        let state = units["tokend.socket"]?["LoadState"]
        return state == "loaded" || state == "masked"
    }

    /// Whether systemd listens, or its service runs: then a client that connects finds the daemon.
    package var isActive: Bool {
        units["tokend.socket"]?["ActiveState"] == "active" || units["tokend.service"]?["ActiveState"] == "active"
    }

    /// Whether the unit's conditions prevented systemd from listening. A unit that was never started reports that, too.
    private var isKept: Bool {
        let socket = units["tokend.socket"]
        return !isActive && socket?["ConditionResult"] == "no"
            && socket?["ConditionTimestampMonotonic"].map { $0 != "0" } == true
    }

    /// Whether systemd listens.
    package var isListening: Bool { units["tokend.socket"]?["ActiveState"] == "active" }

    /// What makes a socket anew whose file is gone: `start` does nothing with a unit that is active.
    package static let makeSocketAnew = "systemctl --user restart tokend.socket"

    /// What is wrong with the units; nil where nothing is.
    package var fault: (detail: String, mend: String)? {
        guard isInstalled else { return nil }
        for id in ["tokend.socket", "tokend.service"] {
            if units[id]?["LoadState"] == "masked" { return ("\(id) is masked", "systemctl --user unmask \(id)") }
        }
        if units["tokend.service"]?["ActiveState"] == "failed" {
            return ("tokend.service has failed", "journalctl --user --unit=tokend.service --lines=20")
        }
        if isKept {
            let detail = "tokend.socket is not for root and the accounts of services (ConditionUser=)"
            return (
                detail, "use tokend as the user who signs in; “Under systemd” in docs/configuration.md has the drop-in"
            )
        }
        let states = ["tokend.socket", "tokend.service"].map { units[$0]?["UnitFileState"] ?? "" }
        let isEnabled = states.contains { ["enabled", "enabled-runtime", "static", "linked"].contains($0) }
        let command = "systemctl --user enable --now tokend.socket"
        guard isEnabled else { return ("tokend.socket is not enabled: it is gone after the next login", command) }
        return isActive ? nil : ("tokend.socket is not active", command)
    }
}
