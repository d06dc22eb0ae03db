// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import StrictJSON
import Systemd
import TokendProtocol

/// What outlives a restart and is no secret: `$XDG_STATE_HOME/tokend/state.json`.
///
/// A change is on the disk when `change` returns, or the caller is told that it is not; it is then tried again until it
/// is.
final class StateFolder: LastingState {
    /// Between two attempts to write what could not be written.
    private static let retryGap: Duration = .seconds(30)

    private(set) var notes: LastingNotes
    private let folder: String
    private let loop: EventLoop
    private let log: any EventLog
    /// What a newer daemon has noted down beside; it is there again when that daemon is.
    private let others: JSONObject
    /// The file does not say what `notes` does.
    private var isOwed = false
    private var retry: EventSource?

    /// `$XDG_STATE_HOME/tokend`, `~/.local/state/tokend`.
    init(environment: [String: String], loop: EventLoop, log: any EventLog) {
        if let base = environment["XDG_STATE_HOME"].nonEmpty, base.hasPrefix("/") {
            folder = base + "/tokend"
        } else {
            folder = (environment["HOME"] ?? "/") + "/.local/state/tokend"
        }
        self.loop = loop
        self.log = log
        let kept = Self.read(folder + "/state.json")
        notes = LastingNotes(
            removals: Self.names(kept, "removals"),
            clientRemovals: Self.names(kept, "client_removals"),
            paused: Self.names(kept, "paused"),
            decisions: (kept["decisions"]?.array ?? []).compactMap(\.object)
                .compactMap { try? PolicyList.Decision(json: $0) }
        )
        var others = kept
        for name in Self.members { others[name] = nil }
        self.others = others
    }

    private static let members = ["removals", "client_removals", "paused", "decisions"]

    func change(_ edit: (inout LastingNotes) -> Void) -> LastingFault? {
        let before = notes
        edit(&notes)
        return isOwed || notes != before ? write() : nil
    }

    private static func read(_ path: String) -> JSONObject {
        guard let bytes = try? RegularFile.bytes(of: path) else { return [:] }
        return (try? JSONReader().read(bytes))?.object ?? [:]
    }

    private static func names(_ kept: JSONObject, _ member: String) -> Set<String> {
        Set(kept[member]?.array?.compactMap(\.string) ?? [])
    }

    private func write() -> LastingFault? {
        var content = others
        let own: JSONObject = [
            "removals": .array(notes.removals.sorted().map { .string($0) }),
            "client_removals": .array(notes.clientRemovals.sorted().map { .string($0) }),
            "paused": .array(notes.paused.sorted().map { .string($0) }),
            "decisions": .array(notes.decisions.map { .object($0.encoded()) }),
        ]
        for member in own { content[member.name] = member.value }
        do throws(PrivateFile.Fault) {
            try PrivateFile.makeFolder(folder)
            try PrivateFile(folder + "/state.json").replace(with: JSONWriter.bytes(.object(content)))
            isOwed = false
            retry = nil
            return nil
        } catch {
            if !isOwed { log.record(.internalFault("\(error.message); it is tried again")) }
            isOwed = true
            writeLater()
            return LastingFault(message: error.message)
        }
    }

    private func writeLater() {
        let instant = loop.bootTime.advanced(by: Self.retryGap)
        if let retry { return retry.rearm(at: instant) }
        retry = loop.addTimer(at: instant, accuracy: .seconds(1)) { [unowned self] in
            guard isOwed else { return }
            _ = write()
        }
    }
}
