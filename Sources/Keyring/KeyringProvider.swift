// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The program that provides the Secret Service.
package struct KeyringProvider: Sendable, Equatable {
    /// Its unique name on the bus, which changes with every restart.
    package let owner: String
    /// Its process ID.
    package let processID: Int32
    /// The kernel's short name of its program, for example `gnome-keyring-d` or `keepassxc`; the same after a restart.
    package let program: String

    /// The program's usual name.
    package var name: String { Self.name(of: program) }

    /// For messages.
    var text: String { "\(name) (process \(processID))" }

    /// The full name, which the kernel truncates.
    static func name(of program: String) -> String {
        program == "gnome-keyring-d" ? "gnome-keyring-daemon" : program
    }
}

/// Whether the secret store can be used now.
package enum KeyringState: Sendable {
    /// Reading and storing work.
    case ready
    /// The default collection is locked, or a prompt to unlock it is up.
    case locked
    /// No bus, no provider, another provider than the one that holds the items, no default collection, or no answer.
    case unavailable
}
