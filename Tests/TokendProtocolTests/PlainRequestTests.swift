// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Testing
import TokendProtocol

/// The short way of reading a request, held against the full one.
@Suite struct PlainRequestTests {
    /// What either reader makes of a line.
    private struct Reading: Equatable {
        var form: MessageForm
        var id: String?
        var account: String?
        var minValid: Int64?
        var application: String?
    }

    private static func plain(_ line: [UInt8]) -> Reading? {
        line.withUnsafeBytes { bytes in
            TokenGet.PlainRequest(line: bytes).map { request in
                Reading(
                    form: request.form,
                    id: String(decoding: request.id, as: UTF8.self),
                    account: request.account,
                    minValid: request.minValid,
                    application: request.application
                )
            }
        }
    }

    /// Nil unless the line is a `token.get` whose parameters are sound and ask for nothing that plain ones do not.
    private static func full(_ line: [UInt8]) -> Reading? {
        guard let request = try? RequestMessage(line: line), request.method == "token.get",
            let parameters = try? TokenGet.Parameters(params: request.params)
        else { return nil }
        var ordinary = TokenGet.Parameters(account: parameters.account)
        ordinary.minValid = parameters.minValid
        ordinary.application = parameters.application
        ordinary.timeout = parameters.timeout
        guard parameters.encoded() == ordinary.encoded() else { return nil }
        return Reading(
            form: request.form,
            id: request.id?.text,
            account: parameters.account,
            minValid: parameters.minValid,
            application: parameters.application
        )
    }

    static let plainLines = [
        #"{"jsonrpc":"2.0","id":1,"method":"token.get","params":{"account":"work"}}"#,
        #"{"id":"a b","method":"token.get"}"#,
        #"{"method":"token.get","params":{},"id":0}"#,
        #"{"params":{"timeout":5,"application":"mutt [2]","min_valid":60,"account":"w"},"id":123456789012345678,"#
            + #""method":"token.get","jsonrpc":"2.0"}"#,
        " { \"id\" : 1 ,\t\"method\" : \"token.get\" , \"params\" : { \"account\" : \"w\" } } ",
    ]

    @Test(arguments: plainLines) func `a plain request is read as the full reader reads it`(line: String) {
        let reading = Self.plain(Array(line.utf8))
        #expect(reading != nil)
        #expect(reading == Self.full(Array(line.utf8)))
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"token.get"}"#,
        #"{"method":"token.get"}"#,
        #"{"id":null,"method":"token.get"}"#,
        #"{"id":-1,"method":"token.get"}"#,
        #"{"id":1.5,"method":"token.get"}"#,
        #"{"id":1e3,"method":"token.get"}"#,
        #"{"id":01,"method":"token.get"}"#,
        #"{"id":1,"method":"status"}"#,
        #"{"id":1,"method":"token\u002eget"}"#,
        #"{"id":1,"id":1,"method":"token.get"}"#,
        #"{"id":1,"method":"token.get","method":"token.get"}"#,
        #"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"token.get"}"#,
        #"{"jsonrpc":"1.0","id":1,"method":"token.get"}"#,
        #"{"id":1,"method":"token.get","params":{},"params":{}}"#,
        #"{"id":1,"method":"token.get","params":[]}"#,
        #"{"id":1,"method":"token.get","params":{"account":"a","account":"a"}}"#,
        #"{"id":1,"method":"token.get","params":{"timeout":1,"timeout":1}}"#,
        #"{"id":1,"method":"token.get","params":{"min_valid":31622401}}"#,
        #"{"id":1,"method":"token.get","params":{"min_valid":"60"}}"#,
        #"{"id":1,"method":"token.get","params":{"account":"wörk"}}"#,
        #"{"id":1,"method":"token.get","params":{"account":null}}"#,
        #"{"id":1,"method":"token.get","params":{"fresh":false}}"#,
        #"{"id":1,"method":"token.get","params":{"rejected":"t"}}"#,
        #"{"id":1,"method":"token.get","params":{"scope":"a"}}"#,
        #"{"id":1,"method":"token.get","params":{"id_token":true}}"#,
        #"{"id":1,"method":"token.get","params":{"accuont":"w"}}"#,
        #"{"id":1,"method":"token.get",}"#,
        #"{"id":1,"method":"token.get"}x"#,
        #"{"id":1 "method":"token.get"}"#,
        #"{"id":"1,"method":"token.get"}"#,
        #"[{"id":1,"method":"token.get"}]"#,
        "{\"id\":\"\u{7}\",\"method\":\"token.get\"}",
        "{\"id\":1,\"method\":\"token.get\"",
        "{",
        "",
    ]) func `whatever is not plain is left to the full reader`(line: String) {
        #expect(Self.plain(Array(line.utf8)) == nil)
    }

    @Test func `no change of one byte makes both readers disagree`() {
        let others = Array("\"\\{}[],: 019-.e\t\r\u{0}atx_".utf8) + [0x7F, 0x80, 0xC3, 0xFF]
        for line in Self.plainLines.map({ Array($0.utf8) }) {
            for position in line.indices {
                for byte in others {
                    var changed = line
                    changed[position] = byte
                    Self.expectAgreement(changed)
                    changed.insert(line[position], at: position)
                    Self.expectAgreement(changed)
                }
                Self.expectAgreement(Array(line[..<position]) + line[(position + 1)...])
                Self.expectAgreement(Array(line[..<position]))
            }
        }
    }

    private static func expectAgreement(_ line: [UInt8]) {
        guard let reading = plain(line), reading != full(line) else { return }
        Issue.record("the short way reads more than there is: \(String(decoding: line, as: UTF8.self))")
    }

    @Test(arguments: plainLines, [Int64(3599), 0, nil])
    func `a prepared result answers byte for byte as one that is encoded then`(line: String, expiresIn: Int64?) throws {
        var result = TokenGet.Result(
            account: "work",
            issuer: "https://idp.example/ü\"",
            accessToken: Secret("t\\o"),
            scope: "a b",
            renewable: true
        )
        result.expiresAt = expiresIn.map { $0 + 1_700_000_000 }
        result.extra = ["instance_url": "https://x.example"]
        let prepared = TokenGet.PreparedResult(result)
        result.expiresIn = expiresIn
        let request = try RequestMessage(line: Array(line.utf8))
        var output = Array("before".utf8)
        try Array(line.utf8).withUnsafeBytes { bytes in
            let plain = try #require(TokenGet.PlainRequest(line: bytes))
            prepared.appendReply(to: plain, expiresIn: expiresIn, to: &output)
        }
        #expect(output == Array("before".utf8) + ReplyMessage.result(result, to: request))
    }
}
