// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The members of a JSON object, in their order; no name occurs twice.
///
/// Names are compared byte for byte. Two objects are equal where they have the same members, in whatever order. A
/// look-up takes time proportional to the number of members, which for the objects met here is the fastest way.
package struct JSONObject: Sendable {
    /// One name with its value, and where both stand in the text.
    package struct Member: Sendable {
        /// The name, escapes resolved.
        package let name: String
        /// The value.
        package var value: JSONValue
        private var nameStart: UInt32 = 0
        private var nameEnd: UInt32 = 0
        private var valueStart: UInt32 = 0
        private var valueEnd: UInt32 = 0

        /// A member of an object that is built in memory.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        /// A member that was read; the reader refuses texts whose offsets do not fit.
        init(name: String, nameRange: Range<Int>, value: JSONValue, valueRange: Range<Int>) {
            self.name = name
            self.value = value
            nameStart = UInt32(truncatingIfNeeded: nameRange.lowerBound)
            nameEnd = UInt32(truncatingIfNeeded: nameRange.upperBound)
            valueStart = UInt32(truncatingIfNeeded: valueRange.lowerBound)
            valueEnd = UInt32(truncatingIfNeeded: valueRange.upperBound)
        }

        /// The bytes of the name in the text, quotes included; empty where the member was built in memory.
        package var nameRange: Range<Int> {
            Int(nameStart)..<Int(nameEnd)
        }

        /// The bytes of the value in the text; empty where the member was built in memory.
        package var valueRange: Range<Int> {
            Int(valueStart)..<Int(valueEnd)
        }
    }

    private var members: [Member]

    /// An object without members.
    package init() {
        members = []
    }

    /// Takes members that the reader has checked for doubled names.
    init(checked members: [Member]) {
        self.members = members
    }

    /// An object of these members; a later one replaces an earlier one with its name. Takes time proportional
    /// to their number.
    package init(_ elements: [(String, JSONValue)]) {
        members = []
        guard elements.count > Self.few else {
            for (name, value) in elements { self[name] = value }
            return
        }
        var places: [ExactName: Int] = [:]
        for (name, value) in elements {
            let member = Member(name: name, value: value)
            if let place = places[ExactName(text: name)] {
                members[place] = member
            } else {
                places[ExactName(text: name)] = members.count
                members.append(member)
            }
        }
    }

    /// An object of these members; nil where a name occurs twice. Takes time proportional to their number.
    package init?(distinct elements: some Sequence<(String, JSONValue)>) {
        var seen: Set<ExactName> = []
        members = []
        for (name, value) in elements {
            guard seen.insert(ExactName(text: name)).inserted else { return nil }
            members.append(Member(name: name, value: value))
        }
    }

    /// The members that are wanted, in their order, with their values made anew. Takes time proportional to their
    /// number.
    package func keeping(
        _ isWanted: (_ name: String) -> Bool,
        as transform: (JSONValue) -> JSONValue = { $0 }
    ) -> JSONObject {
        JSONObject(
            checked: members.filter { isWanted($0.name) }.map { Member(name: $0.name, value: transform($0.value)) }
        )
    }

    /// The same members with their values made anew, each still with its place in the text.
    package func replacing(_ transform: (JSONValue) -> JSONValue) -> JSONObject {
        JSONObject(
            checked: members.map { member in
                var member = member
                member.value = transform(member.value)
                return member
            }
        )
    }

    /// The value with this name. Setting appends or replaces; setting nil removes (JSON's `null` is `.null`).
    package subscript(name: String) -> JSONValue? {
        get {
            index(of: name).map { members[$0].value }
        }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): members[index] = Member(name: name, value: value)
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The member with this name, with its place in the text.
    package func member(_ name: String) -> Member? {
        index(of: name).map { members[$0] }
    }

    /// The number of members.
    package var count: Int {
        members.count
    }

    /// Whether there is no member.
    package var isEmpty: Bool {
        members.isEmpty
    }

    /// The names, in their order.
    package var names: [String] {
        members.map(\.name)
    }

    /// Up to so many members are looked through; for more that would be time that grows with the square of their number.
    fileprivate static let few = 16

    /// The values by their names.
    fileprivate var byName: [ExactName: JSONValue] {
        Dictionary(uniqueKeysWithValues: members.map { (ExactName(text: $0.name), $0.value) })
    }

    private func index(of name: String) -> Int? {
        members.firstIndex { $0.name.hasSameBytes(as: name) }
    }
}

extension JSONObject: Sequence {
    package func makeIterator() -> IndexingIterator<[Member]> {
        members.makeIterator()
    }

    package var underestimatedCount: Int {
        members.count
    }
}

extension JSONObject: Equatable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        guard left.count > few else { return left.allSatisfy { right[$0.name] == $0.value } }
        let values = right.byName
        return left.allSatisfy { values[ExactName(text: $0.name)] == $0.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension String {
    /// Equality byte for byte, where `==` takes canonically equivalent texts for equal.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && utf8.elementsEqual(other.utf8)
    }
}

/// A name in a set, hashed and compared by its bytes.
struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 {
            hasher.combine(byte)
        }
    }
}
