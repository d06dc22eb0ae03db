// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol

@Suite struct RequestMessageTests {
    private func read(_ line: String) throws(RequestError) -> RequestMessage {
        try RequestMessage(line: Array(line.utf8))
    }

    @Test func `a JSON-RPC request is read`() throws {
        let request = try read(#"{"jsonrpc":"2.0","id":7,"method":"token.get","params":{"account":"work"}}"#)
        #expect(request.form == .jsonRPC)
        #expect(request.id?.text == "7")
        #expect(request.method == "token.get")
        #expect(request.params == ["account": "work"])
        #expect(!request.isNotification)
    }

    @Test func `a plain request is read and always answered`() throws {
        let request = try read(#"{"method":"hello"}"#)
        #expect(request.form == .plain)
        #expect(request.id == nil)
        #expect(request.params.isEmpty)
        #expect(!request.isNotification)
    }

    @Test func `a JSON-RPC request without an id is a notification`() throws {
        #expect(try read(#"{"jsonrpc":"2.0","method":"hello"}"#).isNotification)
        #expect(try !read(#"{"jsonrpc":"2.0","method":"hello","id":null}"#).isNotification)
    }

    @Test func `a misspelt member of a plain request is named, and one of JSON-RPC's form is ignored`() throws {
        do {
            _ = try read(#"{"method":"token.get","parms":{"account":"work"}}"#)
            Issue.record("It was read.")
        } catch {
            #expect(error.error.message.contains(#""parms""#))
            #expect(!error.isNotification)
        }
        #expect(try read(#"{"jsonrpc":"2.0","id":1,"method":"x","meta":{}}"#).method == "x")
    }

    @Test(arguments: [
        "7", "-0", "1.50", "1E+2", "12345678901234567890123", #""a\u0062c""#, #""é""#, #""""#, "null", #""\/""#,
    ]) func `an id comes back byte for byte`(_ id: String) throws {
        let request = try read("{ \"id\" : \(id) , \"jsonrpc\":\"2.0\",\"method\":\"x\"}")
        #expect(request.id?.text.utf8.elementsEqual(id.utf8) == true)
        let reply = String(decoding: ReplyMessage.result([:], to: request), as: UTF8.self)
        #expect(reply == "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":{}}\n")
    }

    @Test(arguments: [
        ("{", "parse_error", #"{"jsonrpc":"2.0","id":null,"#),
        ("\u{FEFF}{}", "parse_error", #"{"jsonrpc":"2.0","id":null,"#),
        (#"{"id":1,"id":2,"method":"x"}"#, "parse_error", #"{"jsonrpc":"2.0","id":null,"#),
        ("[]", "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        (#"[{"jsonrpc":"2.0","id":1,"method":"x"}]"#, "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        ("3", "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        (#"{"jsonrpc":"2.0","id":"a"}"#, "invalid_request", #"{"jsonrpc":"2.0","id":"a","#),
        (#"{"jsonrpc":"2.0","method":1}"#, "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        (#"{"jsonrpc":"1.0","id":4,"method":"x"}"#, "invalid_request", #"{"jsonrpc":"2.0","id":4,"#),
        (#"{"jsonrpc":2.0,"id":4,"method":"x"}"#, "invalid_request", #"{"jsonrpc":"2.0","id":4,"#),
        (#"{"jsonrpc":"2.0","id":[1],"method":"x"}"#, "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        (#"{"jsonrpc":"2.0","id":true,"method":"x"}"#, "invalid_request", #"{"jsonrpc":"2.0","id":null,"#),
        ("{}", "invalid_request", #"{"error""#), (#"{"id":9}"#, "invalid_request", #"{"id":9,"error""#),
        (#"{"method":"x","params":[]}"#, "invalid_params", #"{"error""#),
        (#"{"method":"x","parms":{}}"#, "invalid_request", #"{"error""#),
        (#"{"id":6,"method":"token.get","account":"work"}"#, "invalid_request", #"{"id":6,"error""#),
        (#"{"jsonrpc":"2.0","id":5,"method":"x","params":null}"#, "invalid_params", #"{"jsonrpc":"2.0","id":5,"#),
    ]) func `what is no request is answered so`(_ line: String, _ kind: String, _ start: String) throws {
        let error = try #require(#expect(throws: RequestError.self) { try read(line) })
        #expect(error.error.kind.rawValue == kind)
        // It can stand behind a name: “tokenctl: …”.
        #expect(error.error.message.first?.isLowercase == true && error.error.message.last != ".")
        let reply = String(decoding: try #require(error.reply()), as: UTF8.self)
        #expect(reply.hasPrefix(start), "\(reply)")
        #expect(reply.hasSuffix("}\n"))
    }

    @Test func `a notification with wrong parameters is not answered`() throws {
        let line = #"{"jsonrpc":"2.0","method":"x","params":[1]}"#
        let error = try #require(#expect(throws: RequestError.self) { try read(line) })
        #expect(error.isNotification)
        #expect(error.reply() == nil)
    }

    @Test func `a parse error tells the offset`() throws {
        let error = try #require(#expect(throws: RequestError.self) { try read(#"{"method":}"#) })
        #expect(error.error.data == ["offset": 10])
    }

    @Test func `a line that is not UTF-8 is a parse error`() throws {
        let line = Array("{\"method\":\"".utf8) + [0xFF] + Array("\"}".utf8)
        let error = try #require(#expect(throws: RequestError.self) { try RequestMessage(line: line) })
        #expect(error.error.kind == .parseError)
        #expect(error.error.data["offset"] == 11)
    }

    @Test func `a deep line is a parse error and no crash`() throws {
        let line = "{\"params\":" + String(repeating: "[", count: 100_000)
        let error = try #require(#expect(throws: RequestError.self) { try read(line) })
        #expect(error.error.kind == .parseError)
    }

    @Test func `what one end writes the other end reads`() throws {
        let params: JSONObject = ["account": "wörk\n", "fresh": true]
        for form in [MessageForm.jsonRPC, .plain] {
            for id in [RawID(12), nil] {
                let request = RequestMessage(method: "token.get", params: params, id: id, form: form)
                let line = request.line()
                #expect(line.last == UInt8(ascii: "\n"))
                #expect(line.filter { $0 == UInt8(ascii: "\n") }.count == 1)
                let back = try RequestMessage(line: Array(line.dropLast()))
                #expect(back.form == form)
                #expect(back.id == id)
                #expect(back.method == "token.get")
                #expect(back.params == params)
            }
        }
        #expect(
            String(decoding: RequestMessage(method: "hello", id: nil, form: .plain).line(), as: UTF8.self)
                == "{\"method\":\"hello\"}\n"
        )
    }
}
