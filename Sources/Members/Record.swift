// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A value that stands in JSON as an object: its members are declared once, and read and written from there.
///
/// A member with a value that may not be absent has a default, so that there is an empty record to read into.
package protocol Record: Sendable {
    /// An empty record.
    init()

    /// The members, in the order of writing.
    static var members: [Member<Self>] { get }
}

extension Record {
    /// The names of all members.
    package static var names: [String] { members.map(\.outline.name) }

    /// Reads all members.
    package init(reading reader: MemberReader) throws(MemberFault) {
        self.init()
        for member in Self.members { try member.read(reader, &self) }
    }

    /// Reads what is usable: a member that is absent, or is not what it should be, is as in an empty record.
    package init(usable json: JSONObject) {
        self.init()
        let reader = MemberReader(json, isTolerant: true)
        for member in Self.members { try? member.read(reader, &self) }
    }

    /// The members with their values.
    package var declaredMembers: JSONObject {
        var object: JSONObject = [:]
        for member in Self.members { member.write(self, &object) }
        return object
    }
}

/// A record in the secret store or in a file, which outlives the daemon that wrote it. Unknown members are ignored. A
/// member that can be absent counts as absent where it cannot be used, and so does an element of a list.
package protocol StoredRecord: Record, JSONRepresentable {}

extension StoredRecord {
    /// Reads what was stored; nil where a member that it needs is missing or cannot be used.
    package init?(stored json: JSONObject) {
        self.init()
        let reader = MemberReader(json, isTolerant: true)
        for member in Self.members {
            do throws(MemberFault) {
                try member.read(reader, &self)
            } catch {
                guard !member.isNeeded else { return nil }
            }
        }
    }

    package static var form: JSONForm<Self> {
        JSONForm(
            expectation: JSONObject.form.expectation,
            plural: JSONObject.form.plural,
            inner: members.map(\.outline),
            read: { json throws(MemberFault) in json.object.flatMap(Self.init(stored:)) },
            write: { .object($0.declaredMembers) }
        )
    }
}
