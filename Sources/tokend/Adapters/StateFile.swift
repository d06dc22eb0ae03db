// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Members
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
            let file = try? StateFile(reading: MemberReader(object))
        else { return nil }
        self = file
        others = object.keeping { !Self.names.contains($0) }
    }

    /// The content with these notes.
    func bytes(saying notes: LastingNotes) -> [UInt8] {
        var file = self
        file.notes = notes
        var content = others
        for member in file.declaredMembers { content[member.name] = member.value }
        return JSONWriter.bytes(.object(content))
    }
}

extension StateFile: Record {
    static let members: [Member<Self>] = [
        .defaulted("removals", \.notes.removals, as: accounts),
        .defaulted("client_removals", \.notes.clientRemovals, as: accounts),
        .defaulted("paused", \.notes.paused, as: accounts),
        .defaulted("decisions", \.decisions, as: values),
        .optional("keyring", \.notes.keyring),
    ]

    private static let accounts = [String].form.map {
        Set($0)
    } back: {
        $0.sorted()
    }

    private static let values = JSONForm<[JSONValue]>(
        expectation: "a list",
        plural: "lists",
        read: { $0.array },
        write: JSONValue.array
    )

    private var decisions: [JSONValue] {
        get { notes.decisions.map { .object($0.encoded()) } + strangeDecisions }
        set {
            for decision in newValue {
                if let known = decision.object.flatMap({ try? PolicyList.Decision(json: $0) }) {
                    notes.decisions.append(known)
                } else {
                    strangeDecisions.append(decision)
                }
            }
        }
    }
}
