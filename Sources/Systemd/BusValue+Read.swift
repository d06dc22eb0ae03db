// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

extension BusValue {
    /// Reads the rest of a message.
    static func readAll(of message: OpaquePointer) throws(SystemdError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try read(from: message) { values.append(value) }
        return values
    }

    /// Reads the next value; nil at the end of the message or of the current container.
    private static func read(from message: OpaquePointer) throws(SystemdError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let found = try SystemdError.check(
            sd_bus_message_peek_type(message, &type, &contents),
            "read a D-Bus value"
        )
        guard found > 0 else { return nil }
        switch Character(Unicode.Scalar(UInt8(bitPattern: type))) {
        case "y": return .byte(try basic(0, type, message))
        case "b": return .bool(try basic(Int32(0), type, message) != 0)
        case "n": return .int16(try basic(0, type, message))
        case "q": return .uint16(try basic(0, type, message))
        case "i": return .int32(try basic(0, type, message))
        case "u": return .uint32(try basic(0, type, message))
        case "x": return .int64(try basic(0, type, message))
        case "t": return .uint64(try basic(0, type, message))
        case "d": return .double(try basic(0, type, message))
        case "s": return .string(try text(type, message))
        case "o": return .objectPath(try text(type, message))
        case "g": return .signature(try text(type, message))
        default: return try container(type, contents.map { String(cString: $0) } ?? "", message)
        }
    }

    /// Reads a container with the given `contents` signature.
    private static func container(
        _ type: CChar,
        _ contents: String,
        _ message: OpaquePointer
    ) throws(SystemdError) -> BusValue {
        try SystemdError.check(
            sd_bus_message_enter_container(message, type, contents),
            "read a D-Bus container"
        )
        let values = try readAll(of: message)
        try SystemdError.check(sd_bus_message_exit_container(message), "read a D-Bus container")
        switch (Character(Unicode.Scalar(UInt8(bitPattern: type))), values.count) {
        case ("a", _): return .array(of: contents, values)
        case ("r", _): return .structure(values)
        case ("e", 2): return .entry(values[0], values[1])
        case ("v", 1): return .variant(values[0])
        default: throw SystemdError(code: EBADMSG, operation: "read a D-Bus container")
        }
    }

    private static func basic<Value: BitwiseCopyable>(
        _ zero: Value,
        _ type: CChar,
        _ message: OpaquePointer
    ) throws(SystemdError) -> Value {
        var value = zero
        let result = withUnsafeMutablePointer(to: &value) { sd_bus_message_read_basic(message, type, $0) }
        try SystemdError.check(result, "read a D-Bus value")
        return value
    }

    private static func text(_ type: CChar, _ message: OpaquePointer) throws(SystemdError) -> String {
        var text: UnsafePointer<CChar>?
        let result = withUnsafeMutablePointer(to: &text) { sd_bus_message_read_basic(message, type, $0) }
        try SystemdError.check(result, "read a D-Bus text")
        return text.map { String(cString: $0) } ?? ""
    }
}
