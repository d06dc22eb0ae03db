// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One typed D-Bus value (D-Bus Specification, "Type System").
package indirect enum BusValue: Sendable, Equatable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case bool(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`
    case string(String)
    /// `o`
    case objectPath(String)
    /// `g`
    case signature(String)
    /// `a`: values of one complete type, with its signature, since there may be no values.
    case array(of: String, [BusValue])
    /// `( )`
    case structure([BusValue])
    /// `{ }`: an entry of a dictionary.
    case entry(BusValue, BusValue)
    /// `v`
    case variant(BusValue)

    /// The type as a D-Bus signature.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .array(let element, _): "a" + element
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }

    /// The text of a string, an object path or a signature.
    package var text: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// The value of a boolean.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// A variant's content; any other value itself.
    package var unwrapped: BusValue {
        guard case .variant(let value) = self else { return self }
        return value
    }

    /// The value of a string key in a dictionary (`a{s…}`), without its variant.
    package subscript(key key: String) -> BusValue? {
        guard case .array(_, let entries) = self else { return nil }
        for case .entry(let name, let value) in entries where name.text == key {
            return value.unwrapped
        }
        return nil
    }

    /// A list of strings (`as`).
    package static func strings(_ texts: [String]) -> BusValue {
        .array(of: "s", texts.map(BusValue.string))
    }
}
