// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// A type with one usual form, so that a message's declaration need not name it.
package protocol WireValue: Sendable {
    /// Its representation in JSON.
    static var form: WireForm<Self> { get }
}

extension String: WireValue {
    package static let form = WireForm<String>(
        expectation: "a string",
        plural: "strings",
        read: { $0.string },
        write: { .string($0) }
    )
}

extension Bool: WireValue {
    package static let form = WireForm<Bool>(
        expectation: "true or false",
        plural: "flags",
        read: { $0.bool },
        write: { .bool($0) }
    )
}

extension Int64: WireValue {
    package static let form = WireForm<Int64>(
        expectation: "a whole number",
        plural: "whole numbers",
        read: { $0.int64 },
        write: { .integer($0) }
    )
}

extension Secret: WireValue {
    package static let form = String.form.map {
        Secret($0)
    } back: {
        $0.reveal()
    }
}

extension JSONObject: WireValue {
    package static let form = WireForm<JSONObject>(
        expectation: "an object",
        plural: "objects",
        read: { $0.object },
        write: { .object($0) }
    )
}

extension Array: WireValue where Element: WireValue {
    package static var form: WireForm<Self> { .list(of: Element.form) }
}

/// Values by their names; written sorted by name.
extension Dictionary: WireValue where Key == String, Value: WireValue {
    package static var form: WireForm<Self> {
        let element = Value.form
        return WireForm(
            expectation: JSONObject.form.expectation,
            plural: JSONObject.form.plural,
            read: { json throws(ProtocolError) in
                guard let object = json.object else { return nil }
                let reader = MemberReader(result: object)
                var values: Self = [:]
                for name in object.names { values[name] = try reader.read(name, element) }
                return values
            },
            write: { values in
                .object(JSONObject(values.sorted { $0.key < $1.key }.map { ($0.key, element.write($0.value)) }))
            }
        )
    }
}

/// An open set of words: unknown ones decode to themselves.
package protocol OpenWord: WireValue, RawRepresentable, Hashable where RawValue == String {
    /// The word, known or not.
    init(rawValue: String)
}

extension OpenWord {
    package static var form: WireForm<Self> {
        String.form.map {
            Self(rawValue: $0)
        } back: {
            $0.rawValue
        }
    }
}
