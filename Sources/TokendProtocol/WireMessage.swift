// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Parameters, a result, or an object in one of them: its members are declared once, for reading and writing.
///
/// A required member has a default value, so that there is an empty message to read into.
package protocol WireMessage: WireValue, Equatable {
    /// An empty message.
    init()

    /// The members, in the order of writing.
    static var members: [Member<Self>] { get }

    /// Reads a result, or an object in one. Unknown members are ignored; violations of the protocol are an
    /// `internal_error` of the daemon that sent it.
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

    /// Reads as much as possible: an absent or invalid member has its value in an empty message.
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
