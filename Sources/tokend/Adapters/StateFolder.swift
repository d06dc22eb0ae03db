// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials
import StrictJSON
import Systemd

/// What outlives a restart and is no secret: `$XDG_STATE_HOME/tokend/`.
final class StateFolder: PendingRemovals {
    private let folder: String
    private let log: any EventLog

    /// `$XDG_STATE_HOME/tokend`, `~/.local/state/tokend`.
    init(environment: [String: String], log: any EventLog) {
        if let base = environment["XDG_STATE_HOME"].nonEmpty, base.hasPrefix("/") {
            folder = base + "/tokend"
        } else {
            folder = (environment["HOME"] ?? "/") + "/.local/state/tokend"
        }
        self.log = log
        accounts = []
        accounts = Self.read(folder + "/removals.json")
    }

    var accounts: Set<String> {
        didSet {
            if accounts != oldValue { write() }
        }
    }

    private static func read(_ path: String) -> Set<String> {
        guard let data = try? Data(contentsOf: URL(filePath: path)),
            let names = (try? JSONReader().read(Array(data)))?.array
        else { return [] }
        return Set(names.compactMap(\.string))
    }

    private func write() {
        let names = JSONValue.array(accounts.sorted().map { .string($0) })
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try Data(JSONWriter.bytes(names)).write(to: URL(filePath: folder + "/removals.json"), options: .atomic)
        } catch {
            log.record(.internalFault("cannot write \(folder)/removals.json: \(error)"))
        }
    }
}
