// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A JSON value as read from a text or built for one.
///
/// Strings compare as Swift compares them (canonically equivalent Unicode is equal); where bytes decide, as for a
/// subject or an issuer, compare the `utf8` views.
package enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, by its spelling.
    case number(JSONNumber)
    /// A string, its escapes resolved.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string; nil for any other value.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The members of an object; nil for any other value.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The elements of an array; nil for any other value.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// `true` or `false`; nil for any other value.
    package var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    /// The number; nil for any other value.
    package var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The number where it is written as an integer that fits; nil for any other value.
    package var int64: Int64? {
        number?.int64
    }

    /// Whether this is `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// An integer as a value.
    package static func integer(_ value: Int64) -> JSONValue {
        .number(JSONNumber(value))
    }

    /// What kind of value this is, as a noun for sentences to people: "a string", "null".
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}
