// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// How a Swift type is represented in JSON, and how a fault describes it.
package struct JSONForm<Value: Sendable>: Sendable {
    /// The required form, as a fault describes it: "a string".
    package let expectation: String
    /// The same for a list's elements: "strings".
    package let plural: String
    /// The members of its object, or of each element of its list; empty for other forms.
    package var inner: [MemberOutline] = []
    /// The value; nil where this is none. Throws where a record inside is at fault.
    package let read: @Sendable (JSONValue) throws(MemberFault) -> Value?
    package let write: @Sendable (Value) -> JSONValue
    /// As much of the value as is there, of a form with records inside.
    package var tolerated: (@Sendable (JSONValue) -> Value?)?

    package init(
        expectation: String,
        plural: String,
        inner: [MemberOutline] = [],
        read: @escaping @Sendable (JSONValue) throws(MemberFault) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue,
        tolerated: (@Sendable (JSONValue) -> Value?)? = nil
    ) {
        self.expectation = expectation
        self.plural = plural
        self.inner = inner
        self.read = read
        self.write = write
        self.tolerated = tolerated
    }

    /// The value without faulty nested parts; nil if it has another form.
    func tolerate(_ json: JSONValue) -> Value? {
        guard let tolerated else { return try? read(json) }
        return tolerated(json)
    }

    /// A subset of the values, as described for a fault.
    package func limited(to expectation: String, _ isAllowed: @escaping @Sendable (Value) -> Bool) -> JSONForm {
        JSONForm(
            expectation: expectation,
            plural: plural,
            read: { json throws(MemberFault) in try read(json).flatMap { isAllowed($0) ? $0 : nil } },
            write: write
        )
    }

    /// Another type with the same JSON.
    package func map<Other>(
        _ convert: @escaping @Sendable (Value) -> Other?,
        back: @escaping @Sendable (Other) -> Value
    ) -> JSONForm<Other> {
        JSONForm<Other>(
            expectation: expectation,
            plural: plural,
            read: { json throws(MemberFault) in try read(json).flatMap(convert) },
            write: { write(back($0)) },
            tolerated: { tolerate($0).flatMap(convert) }
        )
    }

    /// A list of such values.
    package static func list<Element>(of element: JSONForm<Element>) -> JSONForm where Value == [Element] {
        JSONForm(
            expectation: "a list of \(element.plural)",
            plural: "lists",
            inner: element.inner,
            read: { json throws(MemberFault) in
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

extension JSONForm<String> {
    /// A string of limited length, since it is kept or searched.
    package static func string(upTo limit: Int) -> JSONForm {
        String.form.limited(to: "a string of up to \(limit) bytes") { $0.utf8.count <= limit }
    }

    /// One of these words.
    package static func word(of words: [String]) -> JSONForm {
        String.form.limited(to: choice(of: words)) { words.contains($0) }
    }
}

extension JSONForm<Secret> {
    /// A secret with something in it.
    package static let nonEmpty = Secret.form.limited(to: "a string that is not empty") { !$0.isEmpty }
}

extension JSONForm<[String]> {
    /// A string, or a list of strings; written as a list.
    package static let stringOrList = JSONForm(
        expectation: "a string or a list of strings",
        plural: "lists",
        read: { json throws(MemberFault) in
            guard let string = json.string else { return try [String].form.read(json) }
            return [string]
        },
        write: [String].form.write
    )
}

extension JSONForm where Value: RawRepresentable<String> {
    /// One of these words, of an enum or an open set.
    package static func word(of words: [Value]) -> JSONForm {
        JSONForm<String>.word(of: words.map(\.rawValue)).map {
            Value(rawValue: $0)
        } back: {
            $0.rawValue
        }
    }
}

extension JSONForm {
    /// A word of an enum; unknown ones, from a newer daemon, decode to nil.
    package static func knownWord<Word: RawRepresentable<String>>() -> JSONForm where Value == Word? {
        JSONForm(
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
