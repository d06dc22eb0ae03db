// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What decides how a daemon is started, or reached, where this program runs.
package struct DaemonPlace: Sendable, Equatable {
    /// What the user manager says of tokend's units; nil where none answers.
    package var units: UserUnits?
    /// Whether there is no runtime folder, and so no place for the socket.
    package var lacksFolder = false
    /// Whether that folder is another user's.
    package var isOthers = false
    /// Whether systemd could make that folder.
    package var canLinger = false
    /// Whether this is a container by its own word (`$container`, of podman and systemd-nspawn).
    package var isContainer = false
    /// Who has become root by sudo; nil for everybody else.
    package var caller: String?
    /// Whether the environment names the socket.
    package var namesSocket = false

    package init(units: UserUnits? = nil) {
        self.units = units
    }
}
