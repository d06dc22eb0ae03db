// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// Copies members of an untrusted object up to a limit; the rest is dropped.
struct MemberRoom {
    /// The members copied so far.
    private(set) var kept: JSONObject = [:]
    private let members: Int
    private let bytes: Int
    /// Size as JSON, with its braces.
    private var size = 2

    /// - Parameters:
    ///   - members: their greatest number.
    ///   - bytes: their greatest size together, as JSON.
    init(members: Int, bytes: Int) {
        self.members = members
        self.bytes = bytes
    }

    var isFull: Bool { kept.count >= members }

    /// Adds one, unless its name is already present.
    mutating func add(_ name: String, _ value: JSONValue) {
        guard !isFull, kept[name] == nil else { return }
        let own = JSONWriter.bytes(.string(name)).count + JSONWriter.bytes(value).count + (kept.isEmpty ? 1 : 2)
        guard size + own <= bytes else { return }
        size += own
        kept[name] = value
    }
}

extension JSONObject {
    /// The additional members of a provider's answer that are passed on with the token, in their order: as many as any
    /// provider sends. They are held, compared and sent with each token.
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
