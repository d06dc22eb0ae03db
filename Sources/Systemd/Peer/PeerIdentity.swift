// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The program at the other end of a connection, as far as the kernel and systemd tell.
package enum PeerIdentity: Sendable, Equatable {
    case known(ProcessIdentity)
    /// Unknown; not guessed.
    case unknown(pid: Int32, Doubt)

    /// Why a process cannot be identified.
    package enum Doubt: String, Error {
        /// The process that connected has ended; its number may be reused.
        case ended = "the process that connected has ended"
        /// Another process than the one that connected writes, or wrote, on the connection.
        case shared = "more than one process uses the connection"
        /// The process runs another program than when it connected.
        case replaced = "the process has become another program since it connected"
        /// The kernel denies inspection: another user's process, or one that has made itself unreadable.
        case unreadable = "the process does not let itself be looked at"
        /// Inspection needs a descriptor, and there was none; there may be one later.
        case exhausted = "tokend has no descriptor left to look at it with; try again in a moment"
        /// It is in a sandbox without a unique name.
        case sandbox = "it runs in a sandbox whose name cannot be made out"
    }
}

/// A process as policies and logs name it.
package struct ProcessIdentity: Sendable, Equatable {
    /// A program's file.
    package struct Executable: Sendable, Equatable {
        /// Used for comparison.
        package var file: FileIdentity
        /// For users: the path in the process's view of the file system.
        package var path: String
        /// Whether that path leads to the same file in the daemon's view: if not, it must not be shown as its name.
        package var isThere: Bool

        package init(file: FileIdentity, path: String, isThere: Bool = true) {
            self.file = file
            self.path = path
            self.isThere = isThere
        }
    }

    /// A sandbox that the process cannot leave, with its name.
    package enum Sandbox: Sendable, Equatable {
        case flatpak(String)
        case snap(String)
    }

    package var pid: Int32
    package var uid: UInt32
    package var executable: Executable
    package var unit: String?
    package var sandbox: Sandbox?
    /// Of `tokenctl`, the program that it gets a token for; nil too where nobody had to look.
    package var caller: CallingProgram?

    package init(pid: Int32, uid: UInt32, executable: Executable, unit: String? = nil, sandbox: Sandbox? = nil) {
        self.pid = pid
        self.uid = uid
        self.executable = executable
        self.unit = unit
        self.sandbox = sandbox
    }
}
