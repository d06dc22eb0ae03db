// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

@Suite struct RevocationTests {
    @Test func `a public client names itself and the kind of token (7009-1, 6749-5)`() throws {
        let request = RevocationRequest(token: Secret("rt"), hint: .refreshToken).httpRequest(
            endpoint: try WebURL("https://h/revoke"),
            clientID: "app",
            authentication: .none
        )
        #expect(request.method == .post)
        #expect(request.body?.reveal() == "token=rt&token_type_hint=refresh_token&client_id=app")
    }

    @Test(arguments: [
        (HTTPResponse(status: 200), "done"), (.text("whatever", type: "text/html"), "done"),
        (HTTPResponse(status: 204), "done"),
        (.json(["error": "unsupported_token_type"], status: 400), "unsupported"),
        (HTTPResponse(status: 503, headers: ["Retry-After": "7"]), "later 7"), (HTTPResponse(status: 429), "later"),
        (HTTPResponse(status: 500), "later"), (HTTPResponse(status: 302), "later"),
        (.json(["error": "invalid_client"], status: 401), "refused invalid_client"),
        (.text("<html>", type: "text/html", status: 404), "refused "),
    ])
    func `each answer has one meaning (7009-2, 7009-3)`(response: HTTPResponse, meaning: String) {
        let found =
            switch RevocationAnswer.read(response, now: now) {
            case .done: "done"
            case .unsupportedTokenType: "unsupported"
            case .later(_, let wait): wait.map { "later \($0.components.seconds)" } ?? "later"
            case .refused(let error): "refused \(error.error)"
            }
        #expect(found == meaning)
    }

    @Test func `a refusal that repeats the token tells nothing of it`() {
        let body: JSONObject = ["error": "invalid_client", "error_description": "not RT-0123456789 of yours"]
        let answer = RevocationAnswer.read(.json(body, status: 400), now: now, sent: [Secret("RT-0123456789")])
        guard case .refused(let error) = answer else { Issue.record("\(answer)"); return }
        #expect(error.description == "not …")
    }
}
