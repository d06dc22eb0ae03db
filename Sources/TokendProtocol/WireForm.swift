// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// How a Swift type is represented in JSON, and how a fault describes it.
package struct WireForm<Value: Sendable>: Sendable {
    /// The required form, as a fault describes it: "a string".
    let expectation: String
    /// The same for a list's elements: "strings".
    let plural: String
    /// The members of its object, or of each element of its list; empty for other forms.
    var inner: [MemberOutline] = []
    /// The value; nil if it has another form. Throws if a nested message is faulty.
    let read: @Sendable (JSONValue) throws(ProtocolError) -> Value?
    let write: @Sendable (Value) -> JSONValue
    /// As much of the value as is readable, for a form with nested messages.
    var tolerated: (@Sendable (JSONValue) -> Value?)?

    /// The value without faulty nested parts; nil if it has another form.
    func tolerate(_ json: JSONValue) -> Value? {
        guard let tolerated else { return try? read(json) }
        return tolerated(json)
    }

    /// A subset of the values, as described for a fault.
    func limited(to expectation: String, _ isAllowed: @escaping @Sendable (Value) -> Bool) -> WireForm {
        WireForm(
            expectation: expectation,
            plural: plural,
            read: { json throws(ProtocolError) in try read(json).flatMap { isAllowed($0) ? $0 : nil } },
            write: write
        )
    }

    /// Another type with the same JSON.
    func map<Other>(
        _ convert: @escaping @Sendable (Value) -> Other?,
        back: @escaping @Sendable (Other) -> Value
    ) -> WireForm<Other> {
        WireForm<Other>(
            expectation: expectation,
            plural: plural,
            read: { json throws(ProtocolError) in try read(json).flatMap(convert) },
            write: { write(back($0)) }
        )
    }

    /// A list of such values.
    static func list<Element>(of element: WireForm<Element>) -> WireForm where Value == [Element] {
        WireForm(
            expectation: "a list of \(element.plural)",
            plural: "lists",
            inner: element.inner,
            read: { json throws(ProtocolError) in
                guard let array = json.array else { return nil }
                var values: [Element] = []
                for json in array {
                    guard let value = try element.read(json) else { return nil }
                    values.append(value)
                }
                return values
            },
            write: { .array($0.map(element.write)) },
            tolerated: { $0.array?.compactMap(element.tolerate) }
        )
    }
}

extension WireForm<String> {
    /// A string of limited length, since it is kept or searched.
    static func string(upTo limit: Int) -> WireForm {
        String.form.limited(to: "a string of up to \(limit) bytes") { $0.utf8.count <= limit }
    }

    /// One of these words.
    static func word(of words: [String]) -> WireForm {
        String.form.limited(to: choice(of: words)) { words.contains($0) }
    }

    /// Scope tokens separated by spaces (RFC 6749 section 3.3), limited to several times what providers' servers accept
    /// in a request line.
    static let scope = String.form.limited(to: "scopes of printable ASCII with spaces between, 8192 bytes at most") {
        $0.utf8.count <= 8192
            && $0.utf8.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}

extension WireForm<Int64> {
    /// A duration in whole seconds, from 0 to 366 days.
    static let seconds = Int64.form.limited(
        to: "a whole number of seconds from 0 to \(MemberReader.longestSeconds)"
    ) { (0...MemberReader.longestSeconds).contains($0) }
}

extension WireForm<[String]> {
    /// A string, or a list of strings; written as a list.
    static let stringOrList = WireForm(
        expectation: "a string or a list of strings",
        plural: "lists",
        read: { json throws(ProtocolError) in
            guard let string = json.string else { return try [String].form.read(json) }
            return [string]
        },
        write: [String].form.write
    )
}

extension WireForm where Value: RawRepresentable<String> {
    /// One of these words, of an enum or an open set.
    static func word(of words: [Value]) -> WireForm {
        WireForm<String>.word(of: words.map(\.rawValue)).map {
            Value(rawValue: $0)
        } back: {
            $0.rawValue
        }
    }
}

extension WireForm {
    /// A word of an enum; unknown ones, from a newer daemon, decode to nil.
    static func knownWord<Word: RawRepresentable<String>>() -> WireForm where Value == Word? {
        WireForm(
            expectation: String.form.expectation,
            plural: String.form.plural,
            read: { $0.string.map(Word.init(rawValue:)) },
            write: { $0.map { .string($0.rawValue) } ?? .null }
        )
    }
}

/// "a, b or c".
private func choice(of words: [String]) -> String {
    words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
}
