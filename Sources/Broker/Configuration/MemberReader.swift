// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import StrictJSON
package import TokendProtocol

/// Reads the members of one object of a configuration file and gathers every fault instead of stopping at the first,
/// so that a person mends a file in one go.
///
/// A member that is asked for counts as known; `finish()` turns the rest into faults, since a misspelt setting that
/// passes unseen is worse than one that is refused.
package struct MemberReader {
    package let object: JSONObject
    private let source: ConfigurationSource
    private let prefix: String
    private var known: [String] = []
    package private(set) var faults: [ConfigurationFault] = []

    package init(_ object: JSONObject, source: ConfigurationSource, prefix: String = "") {
        self.object = object
        self.source = source
        self.prefix = prefix
    }

    /// Whether the file has the member; `null` is as good as none.
    package func has(_ name: String) -> Bool {
        object[name].map { !$0.isNull } ?? false
    }

    /// Adds a fault at the member's line.
    package mutating func fault(_ name: String, _ message: String) {
        let line = object.member(name).map { source.line(at: $0.nameRange.lowerBound) }
        faults.append(ConfigurationFault(file: source.file, line: line, member: prefix + name, message: message))
    }

    /// Takes the faults that a reader of an inner object found.
    package mutating func add(_ inner: [ConfigurationFault]) {
        faults += inner
    }

    /// The member's value; nil where it is absent or null.
    package mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    package mutating func string(_ name: String) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.string, !text.isEmpty else {
            fault(name, "must be a string that is not empty")
            return nil
        }
        return text
    }

    package mutating func bool(_ name: String) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.bool else {
            fault(name, "must be true or false")
            return nil
        }
        return flag
    }

    /// A whole number within `range`.
    package mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        guard let value = value(name) else { return nil }
        guard let number = value.int64, range.contains(number) else {
            fault(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// The digest of a file that the member names; a path that depends on where the daemon was started is a fault.
    package mutating func digest(of path: String, named name: String, _ digestOfFile: (String) -> String?) -> String? {
        guard path.hasPrefix("/") else {
            fault(name, "must be an absolute path, such as \"/etc/ssl/our-ca.pem\"")
            return nil
        }
        let digest = digestOfFile(path)
        if digest == nil { fault(name, "“\(DisplayText.sanitized(path))” cannot be read") }
        return digest
    }

    /// One of a closed list of words.
    package mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        as type: Word.Type
    ) -> Word? where Word.RawValue == String {
        guard let text = string(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            fault(name, "is none of: \(words)")
            return nil
        }
        return word
    }

    /// A list of strings that are not empty; a lone string stands for a list of one where `orString` says so.
    package mutating func strings(_ name: String, orString: Bool = false) -> [String]? {
        guard let value = value(name) else { return nil }
        if orString, let text = value.string, !text.isEmpty { return [text] }
        guard value.array?.count ?? 0 <= Self.mostEntries else {
            fault(name, "has more than \(Self.mostEntries) entries")
            return nil
        }
        let texts = value.array?.compactMap(\.string).filter { !$0.isEmpty }
        guard let texts, texts.count == value.array?.count else {
            fault(name, orString ? "must be a string or a list of strings" : "must be a list of strings")
            return nil
        }
        return texts
    }

    /// All members of an object whose names are the person's own choice and whose values are strings, in the order of
    /// the file.
    package mutating func pairs() -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        guard object.count <= Self.mostEntries else {
            known += object.names
            faults.append(
                ConfigurationFault(
                    file: source.file,
                    member: String(prefix.dropLast()),
                    message: "has more than \(Self.mostEntries) entries"
                )
            )
            return []
        }
        for member in object {
            known.append(member.name)
            if member.name.isEmpty {
                fault(member.name, "has no name")
            } else if let text = member.value.string {
                pairs.append((member.name, text))
            } else {
                fault(member.name, "must be a string")
            }
        }
        return pairs
    }

    /// A reader for an inner object; its faults come back through `add`.
    package mutating func inner(_ name: String) -> MemberReader? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else {
            fault(name, "must be an object")
            return nil
        }
        return MemberReader(object, source: source, prefix: prefix + name + ".")
    }

    /// Faults for every member that nobody asked for.
    package mutating func finish() {
        let unknown = object.names.filter { !known.contains($0) }
        for name in unknown.prefix(Self.mostUnknown) {
            let hint = nearest(to: name).map { "; did you mean “\($0)”?" } ?? ""
            fault(name, "is not a setting of this version of tokend" + hint)
        }
        if unknown.count > Self.mostUnknown {
            let more = unknown.count - Self.mostUnknown
            faults.append(ConfigurationFault(file: source.file, message: "\(more) more members are no settings"))
        }
    }

    /// How many entries a list or an object has whose entries are the person's own: more than anybody needs, and few
    /// enough that reading them holds nobody up.
    package static var mostEntries: Int { 256 }

    /// How many unknown members are named: each costs a look through the file for its line.
    private static var mostUnknown: Int { 20 }

    /// The name without what people take for no difference.
    private func plain(_ name: String) -> String {
        name.lowercased().replacing("-", with: "_")
    }

    /// The setting that a misspelt one was meant to be: the nearest one that the file does not have already.
    private func nearest(to name: String) -> String? {
        guard name.utf8.count <= 40 else { return nil }
        let limit = name.utf8.count < 5 ? 1 : 2
        return known.filter { object[$0] == nil }
            .map { (name: $0, distance: EditDistance.between(plain(name), plain($0))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.name
    }
}
