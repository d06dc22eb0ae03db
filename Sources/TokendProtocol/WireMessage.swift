// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Parameters, a result, or an object in one of them: its members are declared once, and read and written from there.
///
/// A member with a value that may not be absent has a default, so that there is an empty message to read into.
package protocol WireMessage: WireValue, Equatable {
    /// An empty message.
    init()

    /// The members, in the order in which they are written.
    static var members: [Member<Self>] { get }

    /// Reads a result, or an object in one. Members that this version does not know are ignored; what breaks the
    /// protocol is an `internal_error` of the daemon that sent it.
    init(json: JSONObject) throws(ProtocolError)

    /// The members as they are sent.
    func encoded() -> JSONObject
}

extension WireMessage {
    /// The names of all members.
    package static var names: [String] { members.map(\.outline.name) }

    package init(json: JSONObject) throws(ProtocolError) {
        try self.init(reading: MemberReader(result: json))
    }

    init(reading reader: MemberReader) throws(ProtocolError) {
        self.init()
        for member in Self.members { try member.read(reader, &self) }
    }

    /// Reads what is there: a member that is absent, or is not what it should be, is as in an empty message.
    package init(tolerating json: JSONObject) {
        self.init()
        let reader = MemberReader(tolerating: json)
        for member in Self.members { try? member.read(reader, &self) }
    }

    package func encoded() -> JSONObject { declaredMembers }

    var declaredMembers: JSONObject {
        var object: JSONObject = [:]
        for member in Self.members { member.write(self, &object) }
        return object
    }

    package static var form: WireForm<Self> {
        WireForm(
            expectation: JSONObject.form.expectation,
            plural: JSONObject.form.plural,
            inner: members.map(\.outline),
            read: { json throws(ProtocolError) in
                guard let object = json.object else { return nil }
                return try Self(json: object)
            },
            write: { .object($0.encoded()) },
            tolerated: { $0.object.map(Self.init(tolerating:)) }
        )
    }
}
