// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import FoundationEssentials
import StrictJSON
import Systemd

/// What outlives a restart and is no secret: `$XDG_STATE_HOME/tokend/state.json`.
final class StateFolder: LastingState {
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
        let kept = Self.read(folder + "/state.json")
        removals = Self.names(kept, "removals")
        clientRemovals = Self.names(kept, "client_removals")
        paused = Self.names(kept, "paused")
    }

    var removals: Set<String> {
        didSet {
            if removals != oldValue { write() }
        }
    }

    var clientRemovals: Set<String> {
        didSet {
            if clientRemovals != oldValue { write() }
        }
    }

    var paused: Set<String> {
        didSet {
            if paused != oldValue { write() }
        }
    }

    private static func read(_ path: String) -> JSONObject {
        guard let bytes = RegularFile.bytes(of: path) else { return [:] }
        return (try? JSONReader().read(bytes))?.object ?? [:]
    }

    private static func names(_ kept: JSONObject, _ member: String) -> Set<String> {
        Set(kept[member]?.array?.compactMap(\.string) ?? [])
    }

    private func write() {
        let content: JSONObject = [
            "removals": .array(removals.sorted().map { .string($0) }),
            "client_removals": .array(clientRemovals.sorted().map { .string($0) }),
            "paused": .array(paused.sorted().map { .string($0) }),
        ]
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try Data(JSONWriter.bytes(.object(content)))
                .write(to: URL(filePath: folder + "/state.json"), options: .atomic)
        } catch {
            log.record(.internalFault("cannot write \(folder)/state.json: \(error)"))
        }
    }
}
