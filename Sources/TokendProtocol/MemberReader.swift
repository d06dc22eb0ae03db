// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON

/// Reads the members of `params` or of a result by their types, and says which one is at fault.
struct MemberReader {
    /// 366 days: no wait and no validity is sensibly longer, and sums with it stay far from any overflow.
    static let longestSeconds: Int64 = 31_622_400

    private let object: JSONObject
    private let isResult: Bool

    /// For parameters: a member that the method does not have is refused, so that a misspelt one is seen.
    init(parameters object: JSONObject, names: [String]) throws(ProtocolError) {
        self.object = object
        isResult = false
        // Names are lower-case ASCII, to which no other text is canonically equivalent: `==` is exact here.
        for member in object where !names.contains(member.name) {
            throw .unknownParameter(member.name, known: names)
        }
    }

    /// For a result: unknown members are ignored.
    init(result object: JSONObject) {
        self.object = object
        isResult = true
    }

    /// The value of a member that may not be absent.
    func required<Value>(_ value: Value?, _ name: String) throws(ProtocolError) -> Value {
        guard let value else {
            throw fault(name, "is missing")
        }
        return value
    }

    func string(_ name: String) throws(ProtocolError) -> String? {
        try read(name, as: "a string", \.string)
    }

    /// A text that is kept, or read through, while others wait.
    func string(_ name: String, upTo limit: Int) throws(ProtocolError) -> String? {
        try read(name, as: "a string of up to \(limit) bytes") { value in
            value.string.flatMap { $0.utf8.count <= limit ? $0 : nil }
        }
    }

    func flag(_ name: String) throws(ProtocolError) -> Bool? {
        try read(name, as: "true or false", \.bool)
    }

    func secret(_ name: String) throws(ProtocolError) -> Secret? {
        try string(name).map { Secret($0) }
    }

    func integer(_ name: String) throws(ProtocolError) -> Int64? {
        try read(name, as: "a whole number", \.int64)
    }

    func object(_ name: String) throws(ProtocolError) -> JSONObject? {
        try read(name, as: "an object", \.object)
    }

    /// A duration in whole seconds, from 0 to 366 days.
    func seconds(_ name: String) throws(ProtocolError) -> Int64? {
        try read(name, as: "a whole number of seconds from 0 to \(Self.longestSeconds)") { value in
            value.int64.flatMap { (0...Self.longestSeconds).contains($0) ? $0 : nil }
        }
    }

    /// As much as a provider's server takes in one line of a request, several times over.
    static let scopeLimit = 8192

    /// Scope tokens with spaces between (RFC 6749 section 3.3).
    func scope(_ name: String) throws(ProtocolError) -> String? {
        try read(name, as: "scopes of printable ASCII with spaces between, \(Self.scopeLimit) bytes at most") { value in
            value.string.flatMap {
                $0.utf8.count <= Self.scopeLimit && $0.utf8.allSatisfy(Self.isScopeByte) ? $0 : nil
            }
        }
    }

    private static func isScopeByte(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    func strings(_ name: String) throws(ProtocolError) -> [String]? {
        try read(name, as: "a list of strings", Self.strings)
    }

    /// A string, or a list of strings.
    func stringOrList(_ name: String) throws(ProtocolError) -> [String]? {
        try read(name, as: "a string or a list of strings") { value in
            value.string.map { [$0] } ?? Self.strings(value)
        }
    }

    func objects(_ name: String) throws(ProtocolError) -> [JSONObject]? {
        try read(name, as: "a list of objects") { value in
            guard let elements = value.array else { return nil }
            let objects = elements.compactMap(\.object)
            return objects.count == elements.count ? objects : nil
        }
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard let elements = value.array else { return nil }
        let strings = elements.compactMap(\.string)
        return strings.count == elements.count ? strings : nil
    }

    /// A member's value in Swift's type, or nil where it is absent.
    func read<Value>(
        _ name: String,
        as type: @autoclosure () -> String,
        _ convert: (JSONValue) -> Value?
    ) throws(ProtocolError) -> Value? {
        guard let value = object[name] else { return nil }
        guard let converted = convert(value) else {
            throw fault(name, "must be \(type())")
        }
        return converted
    }

    /// The error for a member; in a result it is the daemon's fault.
    func fault(_ name: String, _ what: String) -> ProtocolError {
        isResult
            ? ProtocolError(.internalError, "the daemon's answer breaks the protocol: its member '\(name)' \(what)")
            : .invalidParams(member: name, "the parameter '\(name)' \(what)")
    }
}

extension JSONObject {
    private mutating func add(_ name: String, _ value: JSONValue?) {
        guard let value else { return }
        self[name] = value
    }

    /// Sets a member where there is a value for it; so do the other six.
    mutating func set(_ name: String, _ value: String?) {
        add(name, value.map(JSONValue.string))
    }

    mutating func set(_ name: String, _ value: Bool?) {
        add(name, value.map(JSONValue.bool))
    }

    mutating func set(_ name: String, _ value: Int64?) {
        add(name, value.map(JSONValue.integer))
    }

    mutating func set(_ name: String, _ value: Secret?) {
        add(name, value.map { JSONValue.string($0.reveal()) })
    }

    mutating func set(_ name: String, _ value: JSONObject?) {
        add(name, value.map(JSONValue.object))
    }

    mutating func set(_ name: String, _ value: [String]?) {
        add(name, value.map { JSONValue.array($0.map(JSONValue.string)) })
    }

    mutating func set(_ name: String, _ value: [JSONObject]?) {
        add(name, value.map { JSONValue.array($0.map(JSONValue.object)) })
    }
}
