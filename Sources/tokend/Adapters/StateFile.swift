// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import StrictJSON
import TokendProtocol

/// The content of `state.json`, including members that this daemon does not know.
struct StateFile {
    /// The known members.
    private(set) var notes = LastingNotes()
    /// Members of a newer daemon.
    private var others: JSONObject = [:]
    /// Answers of a newer daemon, which this one cannot apply.
    private var strangeDecisions: [JSONValue] = []

    /// An empty one.
    init() {}

    /// nil if it is not a state file: not JSON, or with a known member of another type.
    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONReader().read(bytes))?.object,
            let removals = Self.names(object, "removals"),
            let clientRemovals = Self.names(object, "client_removals"),
            let paused = Self.names(object, "paused"),
            let decisions = Self.elements(object, "decisions"),
            object["keyring"].map({ $0.string != nil }) != false
        else { return nil }
        notes = LastingNotes(removals: removals, clientRemovals: clientRemovals, paused: paused)
        notes.keyring = object["keyring"]?.string
        for decision in decisions {
            if let known = decision.object.flatMap({ try? PolicyList.Decision(json: $0) }) {
                notes.decisions.append(known)
            } else {
                strangeDecisions.append(decision)
            }
        }
        others = object
        for name in ["removals", "client_removals", "paused", "decisions", "keyring"] { others[name] = nil }
    }

    private static func elements(_ object: JSONObject, _ member: String) -> [JSONValue]? {
        guard let value = object[member] else { return [] }
        return value.array
    }

    private static func names(_ object: JSONObject, _ member: String) -> Set<String>? {
        guard let elements = elements(object, member) else { return nil }
        let names = elements.compactMap(\.string)
        return names.count == elements.count ? Set(names) : nil
    }

    /// The content with these notes.
    func bytes(saying notes: LastingNotes) -> [UInt8] {
        var content = others
        content["removals"] = .array(notes.removals.sorted().map { .string($0) })
        content["client_removals"] = .array(notes.clientRemovals.sorted().map { .string($0) })
        content["paused"] = .array(notes.paused.sorted().map { .string($0) })
        content["decisions"] = .array(notes.decisions.map { .object($0.encoded()) } + strangeDecisions)
        content["keyring"] = notes.keyring.map { .string($0) }
        return JSONWriter.bytes(.object(content))
    }
}
