// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import StrictJSON

/// Parameters, a result, or an object in one of them.
package protocol WireMessage: Record, JSONRepresentable, Equatable {
    /// Reads a result, or an object in one. Unknown members are ignored; violations of the protocol are an
    /// `internal_error` of the daemon that sent it.
    init(json: JSONObject) throws(ProtocolError)

    /// The members as they are sent.
    func encoded() -> JSONObject
}

extension WireMessage {
    package init(json: JSONObject) throws(ProtocolError) {
        do throws(MemberFault) {
            try self.init(reading: MemberReader(json))
        } catch {
            throw ProtocolError(inResult: error)
        }
    }

    /// Reads as much as possible: an absent or invalid member has its value in an empty message.
    package init(tolerating json: JSONObject) {
        self.init(usable: json)
    }

    package func encoded() -> JSONObject { declaredMembers }

    package static var form: JSONForm<Self> {
        JSONForm(
            expectation: JSONObject.form.expectation,
            plural: JSONObject.form.plural,
            inner: members.map(\.outline),
            read: { json throws(MemberFault) in
                guard let object = json.object else { return nil }
                return try Self(reading: MemberReader(object))
            },
            write: { .object($0.encoded()) },
            tolerated: { $0.object.map(Self.init(tolerating:)) }
        )
    }
}

extension JSONForm<String> {
    /// Scope tokens separated by spaces (RFC 6749 section 3.3), limited to several times what providers' servers accept
    /// in a request line.
    static let scope = String.form.limited(to: "scopes of printable ASCII with spaces between, 8192 bytes at most") {
        $0.utf8.count <= 8192
            && $0.utf8.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

extension JSONForm<Int64> {
    /// 366 days: no longer wait or validity is sensible, and sums with it cannot overflow.
    static var longestSeconds: Int64 { 31_622_400 }

    /// A duration in whole seconds, from 0 to 366 days.
    static let seconds = Int64.form.limited(to: "a whole number of seconds from 0 to \(longestSeconds)") {
        (0...longestSeconds).contains($0)
    }
}
