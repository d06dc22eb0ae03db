// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Synchronization

/// The folders, the environment and the configuration of daemons that follow each other; removed with the session.
package final class DaemonWorld: Sendable {
    package let session: KeyringSession
    /// `XDG_CONFIG_HOME/tokend`.
    package let configFolder: String
    /// The environment of the daemon and its clients, without any of the caller's own variables.
    package let environment: [String: String]
    private let starts = Mutex(0)

    /// Makes the folders inside the session's own.
    package init(_ session: KeyringSession) throws {
        self.session = session
        configFolder = session.folder + "/config/tokend"
        environment = session.environment.merging([
            "XDG_CONFIG_HOME": session.folder + "/config",
            "XDG_STATE_HOME": session.folder + "/state",
            "XDG_DATA_HOME": session.folder + "/data",
            "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        for folder in [configFolder + "/accounts", session.folder + "/state"] {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    /// Where the daemon listens.
    package var socketPath: String { (environment["XDG_RUNTIME_DIR"] ?? "") + "/tokend/tokend.sock" }

    /// Writes an account's file, JSON5.
    package func writeAccount(_ name: String, _ text: String) throws {
        try write(text, to: "\(configFolder)/accounts/\(name).json5")
    }

    /// Writes an account at this provider, as the shortest file that works.
    package func writeAccount(
        _ name: String,
        issuer: String,
        clientID: String = "tokend",
        scopes: [String] = ["openid", "email", "offline_access"],
        more: String = ""
    ) throws {
        let list = scopes.map { "\"\($0)\"" }.joined(separator: ", ")
        try writeAccount(
            name,
            "{ issuer: \"\(issuer)\", client_id: \"\(clientID)\", scopes: [\(list)],\n  \(more) }\n"
        )
    }

    /// Writes a preset of the user's own, JSON5.
    package func writePreset(_ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(atPath: configFolder + "/providers", withIntermediateDirectories: true)
        try write(text, to: "\(configFolder)/providers/\(name).json5")
    }

    /// Writes `config.json5`.
    package func writeConfiguration(_ text: String) throws { try write(text, to: configFolder + "/config.json5") }

    /// A path for the next daemon's `NOTIFY_SOCKET`.
    func freshNotifyPath() -> String {
        let number = starts.withLock { starts in
            starts += 1
            return starts
        }
        return "\(session.folder)/notify-\(number)"
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }
}
