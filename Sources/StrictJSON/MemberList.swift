// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The members of an object that is being read. It tells a doubled name by comparing where there are few, with a table
/// where there are many.
struct MemberList {
    private static let few = 16
    private(set) var members: [JSONObject.Member] = []
    private var places: [ExactName: Int] = [:]

    var isEmpty: Bool { members.isEmpty }

    /// Where a member of that name stands already.
    func index(of name: String) -> Int? {
        places.isEmpty
            ? members.firstIndex { $0.name.hasSameBytes(as: name) } : places[ExactName(text: name)]
    }

    /// Appends the member, or puts it in the place of the one before with its name.
    mutating func put(_ member: JSONObject.Member, at earlier: Int?) {
        if let earlier {
            members[earlier] = member
            return
        }
        members.append(member)
        if !places.isEmpty {
            places[ExactName(text: member.name)] = members.count - 1
        } else if members.count > Self.few {
            for (place, member) in members.enumerated() { places[ExactName(text: member.name)] = place }
        }
    }
}
