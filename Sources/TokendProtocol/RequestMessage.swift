// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// The form of a request and its reply.
package enum MessageForm: Sendable, Equatable {
    /// Strict JSON-RPC 2.0.
    case jsonRPC
    /// Without `"jsonrpc"`, for users with `socat` or `jq`: always answered.
    case plain
}

/// A request's `id` byte for byte: the text of a JSON string, number or `null`.
package struct RawID: Sendable, Equatable {
    /// The JSON text.
    package let text: String

    /// A new id.
    package init(_ number: Int64) {
        text = String(number)
    }

    /// From the text of a value that was read.
    init(checked text: String) {
        self.text = text
    }

    /// The number; nil if it is a string or null.
    package var number: Int64? { Int64(text) }

    /// The `id` of an unreadable line.
    package static let null = RawID(checked: "null")

    package static func == (left: RawID, right: RawID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }
}

/// A request, or a notification, from a line.
package struct RequestMessage: Sendable {
    /// The form of the request.
    package let form: MessageForm
    /// The id; nil if there is none.
    package let id: RawID?
    /// The method's name, known or not.
    package let method: String
    /// The parameters; empty if there are none.
    package let params: JSONObject

    /// A new request.
    package init(method: String, params: JSONObject = [:], id: RawID?, form: MessageForm = .jsonRPC) {
        self.form = form
        self.id = id
        self.method = method
        self.params = params
    }

    /// The same request with other parameters.
    package func with(params: JSONObject) -> RequestMessage {
        RequestMessage(method: method, params: params, id: id, form: form)
    }

    /// Whether no answer is expected (JSON-RPC 2.0 section 4.1).
    package var isNotification: Bool {
        form == .jsonRPC && id == nil
    }

    /// Reads a line without its newline; an error includes how to answer it.
    package init(line: [UInt8]) throws(RequestError) {
        let object = try Self.object(of: line)
        form = object["jsonrpc"] == nil ? .plain : .jsonRPC
        do {
            id = try Self.id(of: object, in: line)
        } catch {
            throw RequestError(error: error, form: form, id: .null)
        }
        do {
            method = try Self.method(of: object)
            if form == .plain { try Self.refuseUnknownMembers(of: object) }
        } catch {
            throw RequestError(error: error, form: form, id: id)
        }
        switch object["params"] {
        case nil: params = [:]
        case .object(let members): params = members
        default:
            let error = ProtocolError.invalidParams(member: "params", "parameters are given by name, in an object")
            throw RequestError(error: error, form: form, id: id, isNotification: form == .jsonRPC && id == nil)
        }
    }

    private static func object(of line: [UInt8]) throws(RequestError) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONReader().read(line)
        } catch {
            throw RequestError(error: ProtocolError(error), form: .jsonRPC, id: .null)
        }
        switch value {
        case .object(let object):
            return object
        case .array:
            let error = ProtocolError(.invalidRequest, "batches are not served; send one request a line")
            throw RequestError(error: error, form: .jsonRPC, id: .null)
        default:
            let error = ProtocolError(.invalidRequest, "a request is a JSON object, not \(value.kindName)")
            throw RequestError(error: error, form: .jsonRPC, id: .null)
        }
    }

    private static func id(of object: JSONObject, in line: [UInt8]) throws(ProtocolError) -> RawID? {
        guard let member = object.member("id") else { return nil }
        switch member.value {
        case .string, .number, .null:
            return RawID(checked: String(decoding: line[member.valueRange], as: UTF8.self))
        default:
            throw ProtocolError(.invalidRequest, "an 'id' is a string, a number or null")
        }
    }

    private static func method(of object: JSONObject) throws(ProtocolError) -> String {
        if let version = object["jsonrpc"], version != "2.0" {
            throw ProtocolError(.invalidRequest, "the member 'jsonrpc' must be \"2.0\", or be left out")
        }
        guard let name = object["method"]?.string else {
            throw ProtocolError(.invalidRequest, "a request needs a member 'method', a string")
        }
        return name
    }

    /// Misspelling `params` is an error in the plain form; JSON-RPC does not forbid further members, so there they are
    /// ignored.
    private static func refuseUnknownMembers(of object: JSONObject) throws(ProtocolError) {
        for member in object where !["method", "params", "id"].contains(member.name) {
            let shown = JSONWriter.quoted(member.name)
            throw ProtocolError(
                .invalidRequest,
                "a request has no member \(shown); what the method takes goes into 'params', an object"
            )
        }
    }

    /// The request as a line with its newline.
    package func line() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(256)
        output.append(contentsOf: (form == .jsonRPC ? #"{"jsonrpc":"2.0","# : "{").utf8)
        if let id {
            output.append(contentsOf: "\"id\":\(id.text),".utf8)
        }
        output.append(contentsOf: "\"method\":".utf8)
        JSONWriter.appendString(method, to: &output)
        if !params.isEmpty {
            output.append(contentsOf: ",\"params\":".utf8)
            JSONWriter.append(params, to: &output)
        }
        output.append(contentsOf: "}\n".utf8)
        return output
    }
}

/// Why a line is not a request, with what is needed to answer it.
package struct RequestError: Error, Sendable {
    /// The error to answer with.
    package let error: ProtocolError
    /// The form of the answer.
    package let form: MessageForm
    /// The id of the answer: `null` if it could not be read, nil if a plain request has none.
    package let id: RawID?
    /// Whether the line is a valid notification with wrong parameters, which is never answered.
    package let isNotification: Bool

    init(error: ProtocolError, form: MessageForm, id: RawID?, isNotification: Bool = false) {
        self.error = error
        self.form = form
        self.id = id
        self.isNotification = isNotification
    }

    /// The line for the answer; nil for a notification.
    package func reply() -> [UInt8]? {
        isNotification ? nil : ReplyMessage.error(error, form: form, id: id)
    }
}
