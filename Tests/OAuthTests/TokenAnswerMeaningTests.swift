// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

/// What an error says of the grant: an end in any words, a policy that wants the user, a client's fault.
@Suite struct TokenAnswerMeaningTests {
    @Test(arguments: [50005, 50055, 50057, 50074, 50076, 50078, 50079, 50158, 53000, 53003, 530_003, 65001] as [Int64])
    func `Entra's policies end no grant`(number: Int64) {
        let named: JSONObject = ["error": "invalid_grant", "error_codes": [.integer(number)]]
        let written: JSONObject = ["error": "invalid_grant", "error_description": .string("AADSTS\(number): no")]
        for body in [named, written] { #expect(TokenAnswer.read(.json(body, status: 400)).kind == "userWanted") }
    }

    @Test(
        arguments: [
            (403, ["error": "unauthorized_client", "error_description": "refresh_token is invalid"]),
            (400, ["error": "invalid_request", "error_description": "session not found"]),
            (400, ["error": "INVALID_REQUEST", "error_description": "Session Not Found."]),
            (400, ["status": 400, "message": "Invalid refresh token"]), (401, ["message": "invalid refresh token"]),
            (400, ["status": "BAD_REFRESH_TOKEN", "message": "missing or unknown refresh token"]),
            (400, ["code": 400, "error_code": "refresh_token_not_found", "msg": "Invalid Refresh Token"]),
            (400, ["error": ["code": 400, "message": "INVALID_REFRESH_TOKEN", "status": "INVALID_ARGUMENT"]]),
            (400, ["error": ["code": 400, "message": "TOKEN_EXPIRED"]]),
            (400, ["error": "invalid_request", "reason": "Invalid Token!"]),
            (400, ["error": "bad_request", "error_description": "invalid_grant"]),
            (
                400,
                [
                    "message": "Bad Request",
                    "errors": [["resource": "RefreshToken", "field": "refresh_token", "code": "invalid"]],
                ]
            ),
            (404, ["error": "not_found", "message": "The refresh token was not found"]),
            (400, ["error": "server_says", "message": "Refresh token has already been used"]),
        ] as [(Int, JSONObject)]
    )
    func `an end in other words is one, in any case and member`(status: Int, body: JSONObject) {
        #expect(TokenAnswer.read(.json(body, status: status)).kind == "grantEnded")
    }

    @Test(
        arguments: [
            ["error": "unauthorized_client", "error_description": "grant type refresh_token is not allowed: invalid"],
            ["error": "invalid_client", "error_description": "Unknown client or invalid refresh token"],
            ["error": "unsupported_grant_type", "error_description": "invalid grant_type refresh_token"],
            ["error": "invalid_request", "error_description": "invalid request: refresh_token is missing"],
            ["error": "invalid_request", "error_description": "Invalid parameter: refresh_token"],
            ["message": "Your session has expired. Sign in to the network."], ["message": "Invalid CSRF token"],
            ["error": "unauthorized_client"], ["error": "invalid_request", "error_description": "access is invalid"],
        ] as [JSONObject]
    )
    func `words about how it was asked, or of somebody else, are no end`(body: JSONObject) {
        for status in [400, 401, 403] {
            #expect(["misconfigured", "unknown"].contains(TokenAnswer.read(.json(body, status: status)).kind))
        }
    }

    @Test func `what names no error is told in its own words`() {
        func message(_ body: JSONObject) -> String? { TokenAnswer.read(.json(body, status: 400)).error?.message }
        #expect(message(["status": 400, "message": "Not now"]) == "HTTP 400: Not now")
        #expect(message(["status": "BAD_THING", "message": "Not now"]) == "BAD_THING: Not now")
        #expect(message(["title": "Forbidden", "detail": "Not you"]) == "HTTP 400: Not you")
        #expect(message(["status": "error", "msg": "Not now"]) == "HTTP 400: Not now")
        let echo: JSONObject = ["message": "No refresh token RT-0123456789 here"]
        let answer = TokenAnswer.read(.json(echo, status: 400), sentAt: 0, now: 0, sent: [Secret("RT-0123456789")])
        #expect(answer.error?.message == "HTTP 400: No refresh token …")
    }

    @Test func `a wrong secret at Auth0 is the client's, any other access_denied is not`() {
        func kind(_ description: String, _ status: Int) -> String {
            let body: JSONObject = ["error": "access_denied", "error_description": .string(description)]
            return TokenAnswer.read(.json(body, status: status)).kind
        }
        #expect(kind("Unauthorized", 401) == "misconfigured")
        #expect(kind("Unauthorized", 403) == "userWanted")
        #expect(kind("user is blocked", 401) == "userWanted")
    }

    @Test func `status 429 goes before whatever the body says`() {
        for code in ["invalid_grant", "invalid_client", "access_denied", "bad_refresh_token", "invalid_request"] {
            let plain = TokenAnswer.read(.json(["error": .string(code)], status: 429))
            #expect(plain.kind == "throttled")
            let headers: HTTPHeaders = ["Retry-After": "30"]
            let timed = TokenAnswer.read(.json(["error": .string(code)], status: 429, headers: headers))
            guard case .throttled(_, let wait) = timed else {
                Issue.record("it is \(timed.kind)")
                continue
            }
            #expect(wait == .seconds(30))
        }
    }
}
