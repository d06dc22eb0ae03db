// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Members
package import StrictJSON
package import TokendProtocol

/// The redirect's parameters that OAuth does not define (a tenant, the API's host), and those that the program that
/// caught the redirect adds. They stay with the grant, and are not secret.
package struct LoginMetadata: Sendable, Equatable {
    /// The greatest number of members.
    static let memberLimit = 32
    /// The greatest length of a name, in bytes.
    static let nameLimit = 64
    /// The greatest length of a redirect's value, in characters.
    static let valueLimit = 2048
    /// The greatest size as JSON, in bytes.
    static let sizeLimit = 8192

    /// The members; at least one.
    package let members: JSONObject

    /// The redirect's parameters. Those over the limit are dropped, and so are those with a secret's name: a login does
    /// not fail for them. The first value of a name counts; all are cleaned for display.
    package init?(returned: FormParameters) {
        var room = MemberRoom(members: Self.memberLimit, bytes: Self.sizeLimit)
        for element in returned where Self.isName(element.name) && !SecretWords.occur(in: element.name) {
            guard !room.isFull else { break }
            let value = DisplayText.sanitized(element.value, limit: Self.valueLimit + 1)
            guard value.unicodeScalars.count <= Self.valueLimit else { continue }
            room.add(element.name, .string(value))
        }
        guard !room.kept.isEmpty else { return nil }
        members = room.kept
    }

    /// These members; nil where there are none.
    package init?(_ members: JSONObject) {
        guard !members.isEmpty else { return nil }
        self.members = members
    }

    /// The redirect's metadata, overridden by the added metadata; nil if there is neither.
    ///
    /// - Throws: `invalid_params` if that is over the limit.
    package static func joined(
        _ returned: LoginMetadata?,
        _ added: JSONObject?
    ) throws(ProtocolError) -> LoginMetadata? {
        guard let added, !added.isEmpty else { return returned }
        guard added.count <= memberLimit else { throw tooMuch }
        guard added.allSatisfy({ isName($0.name) }) else {
            throw .invalidParams(member: "metadata", "a name in “metadata” has 1 to \(nameLimit) plain characters")
        }
        var members = returned?.members ?? [:]
        for member in added { members[member.name] = member.value }
        guard fits(members) else { throw tooMuch }
        return LoginMetadata(members)
    }

    private static var tooMuch: ProtocolError {
        .invalidParams(
            member: "metadata",
            "“metadata” is too much to keep: \(memberLimit) members and \(sizeLimit) bytes at most"
        )
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= nameLimit && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func fits(_ members: JSONObject) -> Bool {
        members.count <= memberLimit && JSONWriter.bytes(.object(members)).count <= sizeLimit
    }
}

extension LoginMetadata: JSONRepresentable {
    package static let form = JSONObject.form.map {
        LoginMetadata($0)
    } back: {
        $0.members
    }
}
