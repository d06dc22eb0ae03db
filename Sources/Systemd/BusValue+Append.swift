// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

extension BusValue {
    /// Appends the value to a message that is being built.
    func append(to message: OpaquePointer) throws(SystemdError) {
        switch self {
        case .byte(let value): try Self.append(value, "y", to: message)
        case .bool(let value): try Self.append(Int32(value ? 1 : 0), "b", to: message)
        case .int16(let value): try Self.append(value, "n", to: message)
        case .uint16(let value): try Self.append(value, "q", to: message)
        case .int32(let value): try Self.append(value, "i", to: message)
        case .uint32(let value): try Self.append(value, "u", to: message)
        case .int64(let value): try Self.append(value, "x", to: message)
        case .uint64(let value): try Self.append(value, "t", to: message)
        case .double(let value): try Self.append(value, "d", to: message)
        case .string(let text): try Self.append(text, "s", to: message)
        case .objectPath(let text): try Self.append(text, "o", to: message)
        case .signature(let text): try Self.append(text, "g", to: message)
        case .array(let element, let values): try Self.append(values, in: "a", element, to: message)
        case .structure(let fields):
            try Self.append(fields, in: "r", fields.map(\.signature).joined(), to: message)
        case .entry(let key, let value):
            try Self.append([key, value], in: "e", key.signature + value.signature, to: message)
        case .variant(let value): try Self.append([value], in: "v", value.signature, to: message)
        }
    }

    private static func append(_ value: some BitwiseCopyable, _ type: Character, to message: OpaquePointer)
        throws(SystemdError)
    {
        let result = withUnsafePointer(to: value) { sd_bus_message_append_basic(message, code(type), $0) }
        try SystemdError.check(result, "write a D-Bus value")
    }

    private static func append(_ text: String, _ type: Character, to message: OpaquePointer) throws(SystemdError) {
        // A NUL inside would silently cut the text.
        guard !text.utf8.contains(0) else {
            throw SystemdError(code: EINVAL, operation: "write a D-Bus text with a NUL in it")
        }
        let result = text.withCString { sd_bus_message_append_basic(message, code(type), $0) }
        try SystemdError.check(result, "write a D-Bus text")
    }

    private static func append(
        _ values: [BusValue],
        in container: Character,
        _ contents: String,
        to message: OpaquePointer
    ) throws(SystemdError) {
        try SystemdError.check(
            sd_bus_message_open_container(message, code(container), contents),
            "write a D-Bus container"
        )
        for value in values { try value.append(to: message) }
        try SystemdError.check(sd_bus_message_close_container(message), "write a D-Bus container")
    }

    private static func code(_ type: Character) -> CChar {
        CChar(type.asciiValue ?? 0)
    }
}
