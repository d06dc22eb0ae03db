// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// Reads the members of `params` or of a result by their forms, and reports the faulty one.
struct MemberReader {
    /// 366 days: no longer wait or validity is sensible, and sums with it cannot overflow.
    static let longestSeconds: Int64 = 31_622_400

    private let object: JSONObject
    private let isResult: Bool
    private(set) var isTolerant = false

    /// For parameters: an unknown member is refused, so that a misspelt one is noticed.
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

    /// For a result that may be incomplete.
    init(tolerating object: JSONObject) {
        self.init(result: object)
        isTolerant = true
    }

    /// Reads a nested object in the same way.
    func inside(_ object: JSONObject) -> MemberReader {
        isTolerant ? MemberReader(tolerating: object) : MemberReader(result: object)
    }

    /// The value of a required member.
    func required<Value>(_ value: Value?, _ name: String) throws(ProtocolError) -> Value {
        guard let value else {
            throw fault(name, "is missing")
        }
        return value
    }

    /// A member's value, or nil if it is absent.
    func read<Value>(_ name: String, _ form: WireForm<Value>) throws(ProtocolError) -> Value? {
        guard let json = object[name] else { return nil }
        guard let value = try isTolerant ? form.tolerate(json) : form.read(json) else {
            throw fault(name, "must be \(form.expectation)")
        }
        return value
    }

    /// The error for a member; in a result it is the daemon's fault.
    private func fault(_ name: String, _ what: String) -> ProtocolError {
        isResult
            ? ProtocolError(.internalError, "the daemon's answer breaks the protocol: its member '\(name)' \(what)")
            : .invalidParams(member: name, "the parameter '\(name)' \(what)")
    }
}
