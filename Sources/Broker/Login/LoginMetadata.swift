// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import StrictJSON
package import TokendProtocol

/// What a redirect brings besides the code: parameters of the redirect that OAuth does not define (a tenant, the
/// API's host), and what the one who caught the redirect adds. It stays with the grant, and is no secret.
package struct LoginMetadata: Sendable, Equatable {
    /// How many members are kept.
    static let memberLimit = 32
    /// Bytes of a name.
    static let nameLimit = 64
    /// Characters of a redirect's value.
    static let valueLimit = 2048
    /// Bytes of all of it, as JSON.
    static let sizeLimit = 8192

    /// The members; at least one.
    package let members: JSONObject

    /// The parameters that came back. What does not fit is left out, and so is what is named like a secret: a login
    /// does not fail for it. Of several values of a name the first one counts; all of them are made fit to be shown.
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

    /// What a grant's item holds of it.
    package init?(stored members: JSONObject) {
        guard !members.isEmpty else { return nil }
        self.members = members
    }

    /// What came back, with what was added above it; nil where there is neither.
    ///
    /// - Throws: `invalid_params` where that is more than is kept.
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
        return LoginMetadata(stored: members)
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
