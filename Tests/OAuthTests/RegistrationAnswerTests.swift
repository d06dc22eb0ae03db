// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Testing

/// What a registration endpoint may answer.
@Suite struct RegistrationAnswerTests {
    private static func read(id: String) -> RegistrationAnswer {
        let body = JSONWriter.bytes(.object(["client_id": .string(id)]))
        return .read(HTTPResponse(status: 201, headers: ["Content-Type": "application/json"], body: body))
    }

    @Test(arguments: ["", "a\r\nb", "a\u{1B}[31m", "a\0", "\u{202E}a", "ä", String(repeating: "a", count: 4097)])
    func `a client ID that fits into no URL or onto no screen is none`(id: String) {
        guard case .invalid(let reason) = Self.read(id: id) else {
            Issue.record("it was taken")
            return
        }
        #expect(reason.contains("client_id"))
    }

    @Test func `a secret with a replaced byte is none`() {
        let body = Array(#"{"client_id":"a","client_secret":"x"#.utf8) + [0xE9] + Array(#""}"#.utf8)
        guard case .invalid(let reason) = RegistrationAnswer.read(HTTPResponse(status: 201, body: body)) else {
            Issue.record("it was taken")
            return
        }
        #expect(reason.contains("client_secret"))
    }

    @Test(arguments: ["a", "a b:c/~", String(repeating: "a", count: 4096)])
    func `any other is`(id: String) {
        guard case .registered(let client) = Self.read(id: id) else {
            Issue.record("it was refused")
            return
        }
        #expect(client.id == id)
    }
}
