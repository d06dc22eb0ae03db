// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A reply: made by the daemon as a line, read by a client as a value.
package struct ReplyMessage: Sendable {
    /// The id of the answered request; nil if a plain request had none.
    package let id: RawID?
    /// The result, or the error.
    package let outcome: Result<JSONValue, ProtocolError>
    /// The error's number (JSON-RPC's `code`) as received; for a kind of a newer daemon it is otherwise unknown.
    package let number: Int64?

    /// The line that answers the request with this result.
    package static func result(_ value: JSONValue, to request: RequestMessage) -> [UInt8] {
        line(form: request.form, id: request.id, member: "result") { JSONWriter.append(value, to: &$0) }
    }

    /// The line that answers the request with this result, written directly.
    package static func result(_ result: some MethodResult, to request: RequestMessage) -> [UInt8] {
        line(form: request.form, id: request.id, member: "result") { result.append(to: &$0) }
    }

    /// The line that answers the request with a result that is already encoded.
    package static func result(encoded bytes: [UInt8], to request: RequestMessage) -> [UInt8] {
        line(form: request.form, id: request.id, member: "result") { $0.append(contentsOf: bytes) }
    }

    /// The line that answers a request with an error.
    package static func error(_ error: ProtocolError, to request: RequestMessage) -> [UInt8] {
        Self.error(error, form: request.form, id: request.id)
    }

    /// The line that answers with an error; in JSON-RPC's form a missing id is `null`.
    package static func error(_ error: ProtocolError, form: MessageForm, id: RawID?) -> [UInt8] {
        line(form: form, id: id, member: "error") { JSONWriter.append(error.encoded(), to: &$0) }
    }

    private static func line(
        form: MessageForm,
        id: RawID?,
        member: StaticString,
        body: (inout [UInt8]) -> Void
    ) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(512)
        output.append(UInt8(ascii: "{"))
        if form == .jsonRPC {
            output.append(contentsOf: #""jsonrpc":"2.0","#.utf8)
        }
        if let id = id ?? (form == .jsonRPC ? .null : nil) {
            output.append(contentsOf: #""id":"#.utf8)
            output.append(contentsOf: id.text.utf8)
            output.append(UInt8(ascii: ","))
        }
        output.append(UInt8(ascii: "\""))
        member.withUTF8Buffer { output.append(contentsOf: $0) }
        output.append(contentsOf: "\":".utf8)
        body(&output)
        output.append(contentsOf: "}\n".utf8)
        return output
    }
}

/// A line from the daemon: a reply or an event.
package enum ServerMessage: Sendable {
    /// The answer to a request.
    case reply(ReplyMessage)
    /// An event for a subscriber of `events.subscribe`.
    case event(EventMessage)
    /// A notification that this version does not know; to be ignored.
    case unknown

    /// Answers nest deeper than requests: `account.show` contains a whole configuration.
    private static let maximumDepth = 64

    /// Reads a line without its newline.
    package init(line: [UInt8]) throws(ProtocolError) {
        let value: JSONValue
        do {
            value = try JSONReader(maximumDepth: Self.maximumDepth).read(line)
        } catch {
            throw ProtocolError(error)
        }
        guard let object = value.object else {
            throw ProtocolError(.internalError, "the daemon's answer is not a JSON object")
        }
        if object["method"] != nil {
            self = try EventMessage(message: object).map(ServerMessage.event) ?? .unknown
            return
        }
        let id = object.member("id").map { RawID(checked: String(decoding: line[$0.valueRange], as: UTF8.self)) }
        if let error = object["error"] {
            self = .reply(
                ReplyMessage(
                    id: id,
                    outcome: .failure(ProtocolError(json: error)),
                    number: error.object?["code"]?.int64
                )
            )
        } else if let result = object["result"] {
            self = .reply(ReplyMessage(id: id, outcome: .success(result), number: nil))
        } else {
            throw ProtocolError(.internalError, "the daemon's answer has neither a result nor an error")
        }
    }
}
