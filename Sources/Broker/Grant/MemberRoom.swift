// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Takes members of an object from outside as long as there is room for them; what does not fit is left out.
struct MemberRoom {
    /// What has been taken.
    private(set) var kept: JSONObject = [:]
    private let members: Int
    private let bytes: Int
    /// As JSON, with its braces.
    private var size = 2

    /// - Parameters:
    ///   - members: how many there may be.
    ///   - bytes: how many they may have together, as JSON.
    init(members: Int, bytes: Int) {
        self.members = members
        self.bytes = bytes
    }

    var isFull: Bool { kept.count >= members }

    /// Takes one in, unless its name is taken already.
    mutating func add(_ name: String, _ value: JSONValue) {
        guard !isFull, kept[name] == nil else { return }
        let own = JSONWriter.bytes(.string(name)).count + JSONWriter.bytes(value).count + (kept.isEmpty ? 1 : 2)
        guard size + own <= bytes else { return }
        size += own
        kept[name] = value
    }
}

extension JSONObject {
    /// What of a provider's answer is passed on beside the token, first come, first kept: as much as any provider sends.
    /// It is held, compared and sent with each token.
    package static let extraMembers = 64
    package static let extraBytes = 16_384

    /// The members that fit.
    var asExtra: JSONObject {
        guard !isEmpty else { return self }
        var room = MemberRoom(members: Self.extraMembers, bytes: Self.extraBytes)
        for member in self where !room.isFull { room.add(member.name, member.value) }
        return room.kept
    }
}
