// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// A whole answer that is oddly written: it is read, or at least its refresh token is saved.
@Suite struct ProviderJSONTests {
    private static let good = #""access_token":"A","token_type":"Bearer","refresh_token":"R2""#

    private static func response(_ body: [UInt8], status: Int = 200, isWhole: Bool = true) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if isWhole { headers["Content-Length"] = String(body.count) }
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
    }

    static let odd: [[UInt8]] = [
        Array(#"{"name":"Jos"#.utf8) + [0xE9] + Array(#"",\#(good)}"#.utf8),
        [0xEF, 0xBB, 0xBF] + Array("{\(good)}".utf8),
        Array(#"{"scope":"a","scope":"a","refresh_token":"R1",\#(good)}"#.utf8),
        Array("{\(good),}\n<!-- 3 ms -->".utf8),
        Array(#"{"x":\#(String(repeating: "[", count: 900) + String(repeating: "]", count: 900)),\#(good)}"#.utf8),
        utf16("{\(good)}", isBigEndian: true), utf16("\u{FEFF}{\(good)}", isBigEndian: false),
    ]

    @Test(arguments: odd)
    func `an answer that came whole is read, however it is written`(body: [UInt8]) {
        for isWhole in [true, false] {
            let token = TokenAnswer.read(Self.response(body, isWhole: isWhole)).success
            #expect(token?.accessToken == Secret("A") && token?.refreshToken == Secret("R2"))
        }
    }

    static let unreadable = [
        #"{\#(good),"name":"a" "b"}"#, "<br />Warning: x\n{\(good)}", #"{'refresh_token' : 'R2', 'x': True}"#,
        #"{"refresh_token":"R0","a":nul,"refresh_token": "R\u0032"}"#, "{\(good)", #"{\#(good),"expires_i"#,
    ]

    @Test(arguments: unreadable)
    func `where it cannot be read, its refresh token is saved, and nothing is lost or sent again`(text: String) {
        for isWhole in [true, false] {
            let invalid = TokenAnswer.read(Self.response(Array(text.utf8), isWhole: isWhole)).invalid
            #expect(invalid?.refreshToken == Secret("R2"), "\(text)")
        }
    }

    @Test func `the reason has the reader's own and the place, and nothing of the answer`() throws {
        let text = #"{"access_token":"canary" "x"}"#
        let invalid = try #require(TokenAnswer.read(Self.response(Array(text.utf8))).invalid)
        #expect(invalid.isUnread && invalid.refreshToken == nil)
        #expect(invalid.reason.contains("expected ',' or '}'") && invalid.reason.contains("(at byte 25)"))
        #expect(!invalid.reason.contains("canary"))
    }

    @Test(arguments: [#"{"access_token":"a"#, ""])
    func `lost is what ended with its connection, and not what has a length`(text: String) {
        let body = Array(text.utf8)
        #expect(TokenAnswer.read(Self.response(body, isWhole: false)).kind == "lost")
        let invalid = TokenAnswer.read(Self.response(body)).invalid
        #expect(invalid?.isUnread == true)
        #expect(TokenAnswer.read(Self.response(body, status: 500)).kind == "unavailable")
    }

    @Test(arguments: ["access_token", "refresh_token", "id_token"])
    func `a token with a replaced byte is no token`(member: String) {
        let text = Array(#"{"access_token":"A","token_type":"Bearer","\#(member)":"x"#.utf8)
        let answer = TokenAnswer.read(Self.response(text + [0xE9] + Array(#"y"}"#.utf8)))
        #expect(answer.success?.idToken == nil && answer.success?.refreshToken == nil)
        #expect(answer.kind == (member == "id_token" ? "success" : "invalid"))
        if member == "refresh_token" { #expect(answer.invalid?.isUnread == true) }
    }

    @Test(arguments: [
        #""refresh_token":"a b""#, #""refresh_token":"x"#, #""refresh_token":7"#, #""refresh_token" "x""#,
        #""refresh_token":"\u00e9""#, #""old_refresh_token":"x""#, #""a":"\"refresh_token\":\"x\"""#,
        #""refresh_token":"""#, #""refresh_token"#,
    ])
    func `nothing else is taken for a refresh token`(text: String) {
        #expect(ProviderJSON.refreshToken(in: Array(("{" + text).utf8)) == nil)
    }

    @Test func `an error in Latin-1 is the error that it is`() {
        let body =
            Array(#"{"error":"invalid_grant","error_description":"Sitzung abgelaufen f"#.utf8)
            + [0xFC] + Array(#"r Sie"}"#.utf8)
        #expect(TokenAnswer.read(Self.response(body, status: 400)).kind == "grantEnded")
    }

    @Test func `a form with odd bytes is a form`() {
        let form = HTTPResponse.text("access_token=A&token_type=bearer&note=100%&x=%E9", type: "text/plain")
        #expect(TokenAnswer.read(form).success?.accessToken == Secret("A"))
        let bad = HTTPResponse.text("access_token=%E9&token_type=bearer&refresh_token=R2", type: "text/plain")
        #expect(TokenAnswer.read(bad).invalid?.refreshToken == Secret("R2"))
    }

    @Test func `documents are read in the same way`() throws {
        let latin =
            Array(#"{"issuer":"https://h","token_endpoint":"https://h/t","op":"Universit"#.utf8)
            + [0xE4] + Array(#"t","jwks_uri":"https://h/1","jwks_uri":"https://h/2"}"#.utf8)
        let metadata = try Discovery(issuer: Issuer("https://h")).metadata(openID: Self.response(latin), oauth: nil)
        #expect(metadata.keySetURL?.text == "https://h/2")
        let person = Array(#"{"sub":"u1","name":"Jos"#.utf8) + [0xE9] + Array(#""}"#.utf8)
        #expect(try UserInfo.read(Self.response(person), subject: "u1").name == "Jos\u{FFFD}")
        #expect(try KeySetDocument.read(Self.response(Array("\u{FEFF}{\"keys\":[]}".utf8))).keys.isEmpty)
        #expect(ScopeList.read(Self.response(Array("\u{FEFF}[\"a\"]".utf8))) == ["a"])
    }
}
