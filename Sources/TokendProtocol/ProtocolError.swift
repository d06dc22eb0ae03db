// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Members
package import StrictJSON

/// The error object of a reply: a kind for programs, a sentence for a user, and further members by kind.
///
/// Clients show and log `message` and `data`, so they never hold a token, a code or a whole URL.
package struct ProtocolError: Error, Sendable, Equatable {
    /// The kind of error.
    package var kind: ErrorKind
    /// One sentence, with the next step if there is one.
    package var message: String
    /// The members of `data` other than `kind`.
    package var data: JSONObject

    /// An error of this kind.
    package init(_ kind: ErrorKind, _ message: String, data: JSONObject = [:]) {
        self.kind = kind
        self.message = message
        self.data = data
    }

    /// A fault of one member of `params`.
    package static func invalidParams(member: String, _ message: String) -> ProtocolError {
        let shown = String(String.UnicodeScalarView(member.unicodeScalars.prefix(256)))
        return ProtocolError(.invalidParams, message, data: ["member": .string(shown)])
    }

    /// A member of `params` that the method does not have; `known` are those that it has.
    package static func unknownParameter(_ name: String, known: [String]) -> ProtocolError {
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        let sentence = "there is no parameter \(JSONWriter.quoted(name)); this method takes: \(names)"
        return .invalidParams(member: name, sentence)
    }

    /// What is wrong with a member of `params`.
    init(inParameters fault: MemberFault) {
        self = .invalidParams(member: fault.member, "the parameter '\(fault.member)' \(fault.problem)")
    }

    /// What is wrong with a result, which is the daemon's fault.
    init(inResult fault: MemberFault) {
        let place = "its member '\(fault.member)' \(fault.problem)"
        self.init(.internalError, "the daemon's answer breaks the protocol: \(place)")
    }

    /// A line that is not JSON.
    package init(_ error: JSONError) {
        self.init(.parseError, error.message, data: ["offset": .integer(Int64(error.offset))])
    }

    /// The error object in a reply.
    package func encoded() -> JSONObject {
        var object: JSONObject = ["kind": .string(kind.rawValue)]
        for member in data where member.name != "kind" {
            object[member.name] = member.value
        }
        return ["code": .integer(Int64(kind.code)), "message": .string(message), "data": .object(object)]
    }

    /// Reads the error object of a reply; an incomplete one is still an error.
    ///
    /// Without `data.kind` (another JSON-RPC server's error) the code determines the kind.
    package init(json: JSONValue) {
        let object = json.object ?? [:]
        var data = object["data"]?.object ?? [:]
        let byCode = object["code"]?.int64.flatMap { ErrorKind(code: Int(truncatingIfNeeded: $0)) }
        let kind = data["kind"]?.string.map(ErrorKind.init(rawValue:)) ?? byCode ?? .internalError
        data["kind"] = nil
        self.init(kind, object["message"]?.string ?? "the daemon gave no reason", data: data)
    }
}
