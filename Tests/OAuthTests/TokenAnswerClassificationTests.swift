// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

@Suite struct TokenAnswerClassificationTests {
    @Test(arguments: [200, 400, 401, 403])
    func `invalid_grant ends the grant at any 4xx or 200 (6749-15)`(status: Int) {
        #expect(TokenAnswer.read(.json(["error": "invalid_grant"], status: status)).kind == "grantEnded")
    }

    @Test func `Microsoft's word that a token is not valid is no end before it was said again, others are (B6)`() {
        func kind(_ members: JSONObject) -> String {
            var body = members
            body["error"] = "invalid_grant"
            return TokenAnswer.read(.json(body, status: 400)).kind
        }
        #expect(kind(["error_codes": [70000]]) == "unknown")
        #expect(kind(["error_description": "AADSTS70000: the value of refresh_token is not valid."]) == "unknown")
        #expect(kind(["error_codes": [70000], "suberror": "bad_token"]) == "grantEnded")
        #expect(kind(["error_codes": [700_082]]) == "grantEnded")
        #expect(kind(["error_codes": [70043], "suberror": "token_expired"]) == "grantEnded")
    }

    @Test(arguments: [400, 500], ["RT-0123456789", "RT-01\u{200B}23456\u{1B}[1m789", "RT-0123\u{202E}456789"])
    func `an error that repeats the refresh token tells nothing of it`(status: Int, echo: String) {
        let body: JSONObject = [
            "error": "invalid_request", "error_description": .string("Invalid refresh token: \(echo), unknown"),
        ]
        let answer = TokenAnswer.read(.json(body, status: status), sentAt: 0, now: 0, sent: [Secret("RT-0123456789")])
        #expect("\(answer)".contains("Invalid refresh token: …") && !"\(answer)".contains("RT-0"))
    }

    @Test(arguments: [500, 502, 503])
    func `a broken server ends no grant, whatever it says (B5)`(status: Int) {
        for code in ["invalid_grant", "invalid_client", "access_denied"] {
            #expect(TokenAnswer.read(.json(["error": .string(code)], status: status)).kind == "unavailable")
        }
    }

    @Test(arguments: [
        "bad_refresh_token", "invalid_refresh_token", "invalid_code", "refresh_token_reused", "expired_token",
        "token_expired", "token_revoked", "Invalid_Grant", "INVALID_REFRESH_TOKEN", "BAD_REFRESH_TOKEN",
        "invalid_token",
    ])
    func `these codes mean the grant itself, in any case (OIDC-14)`(code: String) {
        for status in [200, 400, 401, 403] {
            #expect(TokenAnswer.read(.json(["error": .string(code)], status: status)).kind == "grantEnded")
        }
    }

    @Test(arguments: [
        "access_denied", "interaction_required", "login_required", "consent_required", "account_selection_required",
        "mfa_required",
    ])
    func `these codes want the user and say nothing against the grant (OIDC-14)`(code: String) {
        for status in [200, 400, 401, 403] {
            #expect(TokenAnswer.read(.json(["error": .string(code)], status: status)).kind == "userWanted")
        }
    }

    @Test(arguments: [
        ("message_only", "userWanted"), ("additional_action", "userWanted"), ("basic_action", "userWanted"),
        ("user_password_expired", "userWanted"), ("consent_required", "userWanted"), ("bad_token", "grantEnded"),
        ("token_expired", "grantEnded"),
    ])
    func `Entra's suberrors want the user, but for those that mean the token (B7)`(suberror: String, kind: String) {
        for code in ["something", "invalid_grant"] {
            let body: JSONObject = ["error": .string(code), "suberror": .string(suberror)]
            #expect(TokenAnswer.read(.json(body, status: 400)).kind == kind)
        }
    }

    @Test(arguments: [
        ("'refresh_token' in request was already revoked", "grantEnded"), ("Refresh token expired", "grantEnded"),
        ("The refresh token is invalid.", "grantEnded"), ("redirect_uri is invalid", "misconfigured"),
        ("user not found", "misconfigured"), ("refresh_token is missing", "misconfigured"),
    ])
    func `invalid_request about a dead refresh token needs a sign-in, any other does not`(
        description: String,
        kind: String
    ) {
        let body: JSONObject = ["error": "invalid_request", "error_description": .string(description)]
        #expect(TokenAnswer.read(.json(body, status: 400)).kind == kind)
    }

    @Test(arguments: [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "incorrect_client_credentials", "invalid_request",
    ])
    func `these codes keep the grant and ask for the configuration (8707-2, A9)`(code: String) {
        for status in [200, 400, 401] {
            #expect(TokenAnswer.read(.json(["error": .string(code)], status: status)).kind == "misconfigured")
        }
    }

    @Test(arguments: [404, 405, 410])
    func `no token endpoint at this place is a matter of configuration`(status: Int) {
        #expect(TokenAnswer.read(HTTPResponse(status: status)).kind == "misconfigured")
        #expect(TokenAnswer.read(.text("<html>", type: "text/html", status: status)).kind == "misconfigured")
        #expect(TokenAnswer.read(.json(["message": "no"], status: status)).kind == "misconfigured")
        #expect(TokenAnswer.read(.json(["error": "invalid_grant"], status: status)).kind == "grantEnded")
    }

    @Test func `Atlassian says access_denied to a wrong secret`() {
        var dialect = ProviderDialect()
        dialect.accessDeniedMeansWrongSecret = true
        let answer = TokenAnswer.read(.json(["error": "access_denied"], status: 403), dialect: dialect)
        #expect(answer.kind == "misconfigured")
    }

    @Test(
        arguments: [
            (429, nil, nil), (429, "7", 7), (503, "7", 7), (400, "7", 7), (429, "999999", 3600),
            (503, "Sun, 09 Aug 2026 02:03:12 GMT", 60), (429, "soon", nil),
        ] as [(Int, String?, Int64?)]
    )
    func `a provider that asks for rest gets it, an hour at most (B9)`(status: Int, after: String?, wait: Int64?) {
        let headers: HTTPHeaders = after.map { ["Retry-After": $0] } ?? [:]
        let answers = [
            TokenAnswer.read(HTTPResponse(status: status, headers: headers)),
            TokenAnswer.read(.text("<html>", type: "text/html", status: status, headers: headers)),
            TokenAnswer.read(.json(["error": "busy"], status: status, headers: headers)),
            TokenAnswer.read(.json([:], status: status, headers: headers)),
        ]
        for answer in answers {
            guard case .throttled(_, let found) = answer else {
                Issue.record("it is \(answer.kind)")
                continue
            }
            #expect(found?.components.seconds == wait)
        }
    }

    @Test(
        arguments: [
            ["error": "slow_down"],
            ["error": "Access Denied", "error_description": "You have made too many requests continuously."],
            ["error": "invalid_grant", "error_codes": [90055]], ["error": "invalid_grant", "error_codes": [50196]],
            ["error": "invalid_grant", "error_description": "AADSTS50196: a loop was encountered"],
            ["error": "invalid_grant", "error_description": "Rate limit exceeded"], ["error": "ratelimited"],
            ["error": "temporarily_unavailable", "error_description": "AADSTS90055: throttled"],
        ] as [JSONObject]
    )
    func `a provider that says too much gets rest (B9)`(body: JSONObject) {
        #expect(TokenAnswer.read(.json(body, status: 400)).kind == "throttled")
    }

    @Test(
        arguments: [
            ["error": "temporarily_unavailable"], ["error": "server_error"], ["error": "internal_failure"],
            ["error": "invalid_request", "error_codes": [90006]], ["error": "invalid_grant", "error_codes": [90033]],
            ["error": "x", "error_description": "AADSTS90024: busy"],
        ] as [JSONObject]
    )
    func `what passes is tried again (B5)`(body: JSONObject) {
        #expect(TokenAnswer.read(.json(body, status: 400)).kind == "unavailable")
    }

    @Test(arguments: [200, 302, 307, 400, 403, 407, 408, 425, 500, 502, 503, 504, 511])
    func `a page instead of JSON is passing, and not shown (A8, D, 6749-20)`(status: Int) {
        let page = HTTPResponse.text("<html>canary</html>", type: "text/html; charset=utf-8", status: status)
        guard case .unavailable(let reason, let lost) = TokenAnswer.read(page) else {
            Issue.record("it is \(TokenAnswer.read(page).kind)")
            return
        }
        #expect(!lost)
        #expect(reason.contains("\(status)") && reason.contains("text/html"))
        #expect(!reason.contains("canary"))
    }

    @Test(arguments: [#"{"access_token":"a"#, ""])
    func `an answer that is cut off may have spent the refresh token (rule 6)`(body: String) {
        #expect(TokenAnswer.read(.text(body, type: "application/json")).kind == "lost")
        #expect(TokenAnswer.read(.text(body, type: "application/json", status: 500)).kind == "unavailable")
    }

    @Test(arguments: [408, 425, 500])
    func `a passing status with readable members is passing (B5)`(status: Int) {
        #expect(TokenAnswer.read(.json(["message": "x"], status: status)).kind == "unavailable")
    }

    @Test func `a redirect of the token endpoint is not followed (6749-20, 9700-8)`() {
        #expect(TokenAnswer.read(.json(["x": 1], status: 307)).kind == "unavailable")
        #expect(TokenAnswer.read(.json(["error": "invalid_grant"], status: 302)).kind == "unavailable")
    }

    @Test(arguments: [(400, "quota_exceeded"), (401, "policy"), (200, "quota_exceeded"), (403, "x")])
    func `an unknown code is neither passing nor the end (A9)`(status: Int, code: String) {
        let answer = TokenAnswer.read(.json(["error": .string(code), "error_description": "why"], status: status))
        #expect(answer.kind == "unknown")
        #expect(answer.error?.error == code)
        #expect(answer.error?.description == "why")
    }

    @Test func `401 alone is not the end`() {
        #expect(TokenAnswer.read(.json(["message": "no"], status: 401)).kind == "unknown")
        #expect(TokenAnswer.read(HTTPResponse(status: 401)).kind == "unavailable")
    }

    @Test func `DPoP's nonce is asked for with a header (9449-5)`() {
        let body: JSONObject = ["error": "use_dpop_nonce"]
        let answer = TokenAnswer.read(.json(body, status: 400, headers: ["dpop-nonce": "n"]))
        #expect(answer.kind == "dpopNonce")
        #expect(TokenAnswer.read(.json(body, status: 400)).kind == "unknown")
    }

    @Test(
        arguments: [
            (["error": ["code": "invalid_grant", "message": "m"]], "invalid_grant: m"),
            (["error": ["type": "invalid_grant"]], "invalid_grant"),
            (
                ["errors": [["errorType": "invalid_grant", "message": "Refresh token invalid"]], "success": false],
                "invalid_grant: Refresh token invalid"
            ),
            (["error": [["code": "invalid_grant"]]], "invalid_grant"), (["errors": ["invalid_grant"]], "invalid_grant"),
        ] as [(JSONObject, String)]
    )
    func `an error may be an object or a list (6749-15)`(body: JSONObject, message: String) {
        let answer = TokenAnswer.read(.json(body, status: 400))
        #expect(answer.kind == "grantEnded")
        #expect(answer.error?.message == message)
    }

    @Test(arguments: [true, 42, ["x": 1], [1], ["code": 400]] as [JSONValue])
    func `an error of any shape wins over a token (A6)`(error: JSONValue) {
        #expect(TokenAnswer.read(.json(TokenAnswer.good(["error": error]))).kind == "unknown")
        #expect(TokenAnswer.read(.json(TokenAnswer.good(["ok": false]))).kind == "unknown")
    }

    @Test(arguments: [nil, false, "", [], [:]] as [JSONValue])
    func `an error that says nothing is none (A6)`(error: JSONValue) {
        #expect(TokenAnswer.read(.json(TokenAnswer.good(["error": error]))).kind == "success")
    }

    @Test func `a description is made fit to be shown and cut (6749-10)`() {
        let text = "a\u{1B}[31mb\u{7}\r\nc\u{202E}d" + String(repeating: "x", count: 5000)
        let body: JSONObject = ["error": .string("e\nf"), "error_description": .string(text)]
        let error = TokenAnswer.read(.json(body, status: 400)).error
        #expect(error?.error == "e f")
        #expect(error?.description?.hasPrefix("ab cd") == true)
        #expect((error?.description?.unicodeScalars.count ?? 0) <= 200)
    }
}
