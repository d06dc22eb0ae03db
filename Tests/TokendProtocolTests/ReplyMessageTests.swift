// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol

@Suite struct ReplyMessageTests {
    private func text(_ line: [UInt8]) -> String {
        String(decoding: line, as: UTF8.self)
    }

    private func read(_ line: [UInt8]) throws -> ReplyMessage {
        guard case .reply(let reply) = try ServerMessage(line: Array(line.dropLast())) else {
            throw ProtocolError(.internalError, "This is not a reply.")
        }
        return reply
    }

    @Test func `a reply has the form of its request`() {
        let value: JSONValue = ["a": 1]
        let formal = RequestMessage(method: "x", id: RawID(3))
        #expect(text(ReplyMessage.result(value, to: formal)) == "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":1}}\n")
        let plain = RequestMessage(method: "x", id: RawID(3), form: .plain)
        #expect(text(ReplyMessage.result(value, to: plain)) == "{\"id\":3,\"result\":{\"a\":1}}\n")
        let bare = RequestMessage(method: "x", id: nil, form: .plain)
        #expect(text(ReplyMessage.result(value, to: bare)) == "{\"result\":{\"a\":1}}\n")
        #expect(text(ReplyMessage.result(encoded: Array("{}".utf8), to: bare)) == "{\"result\":{}}\n")
    }

    @Test func `an error has a kind, a code and a sentence`() {
        let error = ProtocolError(.timeout, "The time ran out.")
        let expected = #"{"code":-32006,"message":"The time ran out.","data":{"kind":"timeout"}}"#
        #expect(
            text(ReplyMessage.error(error, form: .jsonRPC, id: nil))
                == "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":\(expected)}\n"
        )
        #expect(text(ReplyMessage.error(error, form: .plain, id: nil)) == "{\"error\":\(expected)}\n")
    }

    @Test func `a client reads results and errors`() throws {
        let request = RequestMessage(method: "x", id: RawID(8))
        let reply = try read(ReplyMessage.result(["a": nil], to: request))
        #expect(reply.id == RawID(8))
        #expect(try reply.outcome.get() == ["a": nil])
        let error = ProtocolError(.notAllowed, "No.", data: ["client": "exe:/bin/x"])
        let refusal = try read(ReplyMessage.error(error, to: request))
        #expect(throws: error) { try refusal.outcome.get() }
    }

    @Test(arguments: ["", "nonsense", "[]", "{}", "{\"id\":1}", "{\"result\":1"])
    func `what is no message of a daemon's is an error`(_ line: String) {
        #expect(throws: ProtocolError.self) { try ServerMessage(line: Array(line.utf8)) }
    }

    @Test func `an event comes back as it was sent`() throws {
        let event = EventMessage(.refreshFailed, account: "work", at: 17, details: ["kind": "timeout", "retry_at": 20])
        let line = event.line()
        let expected = #"{"jsonrpc":"2.0","method":"event","params":{"type":"refresh_failed","account":"work","at":17,"#
        #expect(text(line).hasPrefix(expected))
        guard case .event(let back) = try ServerMessage(line: Array(line.dropLast())) else {
            Issue.record("This is not an event.")
            return
        }
        #expect(back == event)
    }

    @Test func `details cannot take the place of an event's own members`() {
        let event = EventMessage(.storeLocked, at: 1, details: ["type": "x", "at": 2, "account": "y"])
        #expect(event.encoded() == ["type": "store_locked", "at": 1, "account": "y"])
    }

    @Test func `another notification than an event is left alone`() throws {
        for line in [#"{"method":"other","params":{}}"#, #"{"method":"event"}"#, #"{"jsonrpc":"2.0","method":7}"#] {
            guard case .unknown = try ServerMessage(line: Array(line.utf8)) else {
                Issue.record("This is taken for something: \(line)")
                return
            }
        }
    }

    @Test func `an event without a type or a time is an error`() {
        for line in [#"{"method":"event","params":{"at":1}}"#, #"{"method":"event","params":{"type":"x","at":"1"}}"#] {
            #expect(throws: ProtocolError.self) { try ServerMessage(line: Array(line.utf8)) }
        }
    }
}
