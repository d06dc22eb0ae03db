// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// A type with one usual form, so that a table of members need not name it.
package protocol JSONRepresentable: Sendable {
    /// Its representation in JSON.
    static var form: JSONForm<Self> { get }
}

extension String: JSONRepresentable {
    package static let form = JSONForm<String>(
        expectation: "a string",
        plural: "strings",
        read: { $0.string },
        write: { .string($0) }
    )
}

extension Bool: JSONRepresentable {
    package static let form = JSONForm<Bool>(
        expectation: "true or false",
        plural: "flags",
        read: { $0.bool },
        write: { .bool($0) }
    )
}

extension Int64: JSONRepresentable {
    package static let form = JSONForm<Int64>(
        expectation: "a whole number",
        plural: "whole numbers",
        read: { $0.int64 },
        write: { .integer($0) }
    )
}

extension Secret: JSONRepresentable {
    package static let form = String.form.map {
        Secret($0)
    } back: {
        $0.reveal()
    }
}

extension JSONObject: JSONRepresentable {
    package static let form = JSONForm<JSONObject>(
        expectation: "an object",
        plural: "objects",
        read: { $0.object },
        write: { .object($0) }
    )
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    package static var form: JSONForm<Self> { .list(of: Element.form) }
}

/// Values by their names; written sorted by name.
extension Dictionary: JSONRepresentable where Key == String, Value: JSONRepresentable {
    package static var form: JSONForm<Self> {
        let element = Value.form
        return JSONForm(
            expectation: JSONObject.form.expectation,
            plural: JSONObject.form.plural,
            read: { json throws(MemberFault) in
                guard let object = json.object else { return nil }
                let reader = MemberReader(object)
                var values: Self = [:]
                for name in object.names { values[name] = try reader.read(name, element) }
                return values
            },
            write: { values in
                .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, element.write($0.value)) }))
            },
            tolerated: { json in
                json.object.map { object in
                    var values: Self = [:]
                    for member in object { values[member.name] = element.tolerate(member.value) }
                    return values
                }
            }
        )
    }
}

/// An open set of words: unknown ones decode to themselves.
package protocol OpenWord: JSONRepresentable, RawRepresentable, Hashable where RawValue == String {
    /// The word, known or not.
    init(rawValue: String)
}

extension OpenWord {
    package static var form: JSONForm<Self> {
        String.form.map {
            Self(rawValue: $0)
        } back: {
            $0.rawValue
        }
    }
}
