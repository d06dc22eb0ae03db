// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import StrictJSON
package import TokendProtocol

/// Reads the members of one object of a configuration file and collects all faults instead of stopping at the first, so
/// that a user can fix a file in one go.
///
/// A member that was read counts as known; `finish()` reports all others, since a misspelt setting that is silently
/// ignored is worse than an error.
///
/// There may be a layer below the file, a preset's object: a member that the file lacks is taken from there, objects
/// are merged member by member, and `null` removes the preset's value. A fault names the file that must be fixed.
package struct MemberReader {
    /// One file's part of the object.
    package struct Layer: Sendable {
        let object: JSONObject
        let source: ConfigurationSource
        /// The prefix of member names in faults.
        let prefix: String

        package init(_ object: JSONObject, source: ConfigurationSource, prefix: String = "") {
            self.object = object
            self.source = source
            self.prefix = prefix
        }

        func fault(_ name: String, _ message: String) -> ConfigurationFault {
            let line = object.member(name).map { source.line(at: $0.nameRange.lowerBound) }
            return ConfigurationFault(file: source.file, line: line, member: prefix + name, message: message)
        }
    }

    private let own: Layer
    private let base: Layer?
    private var known: [String] = []
    package private(set) var faults: [ConfigurationFault] = []

    /// The file's own object; the preset's is below it.
    package var object: JSONObject { own.object }

    package init(_ object: JSONObject, source: ConfigurationSource, prefix: String = "", above base: Layer? = nil) {
        own = Layer(object, source: source, prefix: prefix)
        self.base = base
    }

    /// The layer that a member comes from; the file's own if neither has it.
    private func layer(of name: String) -> Layer {
        guard own.object[name] == nil, let base, base.object[name] != nil else { return own }
        return base
    }

    /// Whether the file, or the preset below it, has the member; `null` counts as absent.
    package func has(_ name: String) -> Bool {
        layer(of: name).object[name].map { !$0.isNull } ?? false
    }

    /// Adds a fault at the member's line.
    package mutating func fault(_ name: String, _ message: String) {
        faults.append(layer(of: name).fault(name, message))
    }

    /// Adds the faults of an inner object's reader.
    package mutating func add(_ inner: [ConfigurationFault]) {
        faults += inner
    }

    /// The member's value; nil where it is absent or null.
    package mutating func value(_ name: String) -> JSONValue? {
        known.append(name)
        guard let value = layer(of: name).object[name], !value.isNull else { return nil }
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

    /// The digest of a file that the member names; a relative path is a fault.
    package mutating func digest(of path: String, named name: String, _ digestOfFile: (String) -> String?) -> String? {
        guard path.hasPrefix("/") else {
            fault(name, "must be an absolute path, such as \"/etc/ssl/our-ca.pem\"")
            return nil
        }
        let digest = digestOfFile(path)
        if digest == nil { fault(name, "“\(DisplayText.sanitized(path))” cannot be read") }
        return digest
    }

    /// One of the allowed words.
    package mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String,
        as type: Word.Type
    ) -> Word? where Word.RawValue == String {
        guard let text = string(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            fault(name, ClosedWords.refusal(of: text, among: Word.allCases.map(\.rawValue)))
            return nil
        }
        return word
    }

    /// A list of non-empty strings; a single string counts as a list of one if `orString` is set.
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

    /// All members of an object with names chosen by the user and strings as values: first the preset's that the file
    /// does not change, then the file's, each in order.
    package mutating func pairs() -> [(name: String, value: String)] {
        for layer in [own, base].compactMap(\.self) where layer.object.count > Self.mostEntries {
            known += layer.object.names
            let member = String(layer.prefix.dropLast())
            let message = "has more than \(Self.mostEntries) entries"
            faults.append(ConfigurationFault(file: layer.source.file, member: member, message: message))
            return []
        }
        let below = base?.object.filter { own.object[$0.name] == nil } ?? []
        let above = own.object.filter { !$0.value.isNull || base?.object[$0.name] == nil }
        known += own.object.names + below.map(\.name)
        var pairs: [(name: String, value: String)] = []
        for member in below + above {
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
        let below = base.flatMap { base in
            base.object[name]?.object.map { Layer($0, source: base.source, prefix: base.prefix + name + ".") }
        }
        return MemberReader(
            own.object[name] == nil ? [:] : object,
            source: own.source,
            prefix: own.prefix + name + ".",
            above: below
        )
    }

    /// Faults for every member that was not read.
    package mutating func finish() {
        for layer in [own, base].compactMap(\.self) { finish(layer) }
    }

    private mutating func finish(_ layer: Layer) {
        let unknown = layer.object.names.filter { !known.contains($0) }
        for name in unknown.prefix(Self.mostUnknown) {
            // Not a member that the file already has.
            let hint = ClosedWords.hint(for: name, among: known.filter { object[$0] == nil })
            faults.append(layer.fault(name, "is not a setting of this version of tokend" + hint))
        }
        if unknown.count > Self.mostUnknown {
            let more = unknown.count - Self.mostUnknown
            faults.append(ConfigurationFault(file: layer.source.file, message: "\(more) more members are no settings"))
        }
    }

    /// The limit for entries of a list or an object that the user fills: more than needed, and few enough that reading
    /// them delays no client.
    package static var mostEntries: Int { 256 }

    /// How many unknown members are reported: finding the line of each takes a search of the file.
    private static var mostUnknown: Int { 20 }
}
