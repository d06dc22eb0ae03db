// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

/// What the answer to a poll means (RFC 8628, section 3.5), in the words of every provider that has its own.
@Suite struct DevicePollAnswerTests {
    @Test func `a poll names the grant type, the device code and the client (8628-4)`() throws {
        let request = try TokenRequest.deviceCode(Secret("D/C+1"))
        let http = try request.httpRequest(endpoint: WebURL("https://h/token"), clientID: "app", authentication: .none)
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
        #expect(http.body?.reveal() == "grant_type=\(type)&device_code=D%2FC%2B1&client_id=app")
        #expect(request.secrets == [Secret("D/C+1")])
    }

    private static func form(_ text: String) -> HTTPResponse {
        .text(text, type: "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test(
        arguments: [
            (.json(["error": "authorization_pending"], status: 400), "pending"),
            (.json(["error": "authorization_pending"], status: 428), "pending"),
            (.json(["error": "authorization_pending"], status: 403), "pending"),
            (.json(["error": "authorization_pending"]), "pending"),
            (form("error=authorization_pending&error_description=x"), "pending"),
            (.json(["error": "slow_down"], status: 400), "slow"), (.json(["error": "slow_down"], status: 403), "slow"),
            (.json(["error": "slow_down"], status: 429), "slow"),
            (.json(["error": "slow_down", "interval": 10]), "slow 10"),
            (form("error=slow_down&interval=15"), "slow 15"),
            (.json(["access_token": "A", "token_type": "bearer", "scope": ""]), "done"),
            (form("access_token=A&token_type=bearer&scope=repo"), "done"), (.json(["access_token": "A"]), "done"),
            (.json(["error": "access_denied"], status: 403), "denied"), (.json(["error": "access_denied"]), "denied"),
            (.json(["error": "authorization_declined"], status: 400), "denied"),
            (.json(["error": "ACCESS_DENIED"], status: 400), "denied"),
            (.json(["error": "invalid_grant", "error_codes": [53003]], status: 400), "refused"),
            (.json(["error": "invalid_grant"], status: 429), "passing"),
            (.json(["error": "access_denied", "error_description": "Unauthorized"], status: 401), "misconfigured"),
            (.json(["error": "expired_token"], status: 403), "expired"),
            (.json(["error": "expired_token"], status: 400), "expired"), (.json(["error": "token_expired"]), "expired"),
            (.json(["error": "invalid_grant"], status: 403), "refused"),
            (.json(["error": "bad_verification_code"], status: 400), "refused"),
            (.json(["error": "incorrect_device_code"]), "refused"), (.json(["error": "anything"]), "refused"),
            (.json(["error": "device_flow_disabled"]), "misconfigured"),
            (.json(["error": "invalid_client"], status: 401), "misconfigured"),
            (.json(["error": "unsupported_grant_type"], status: 400), "misconfigured"),
            (.text("<html>", type: "text/html", status: 404), "misconfigured"),
            (.text("<html>", type: "text/html"), "passing"), (.text("{\"err", type: "application/json"), "passing"),
            (.text("Precondition Required", type: "text/plain", status: 428), "passing"),
            (HTTPResponse(status: 503, headers: ["Retry-After": "30"]), "passing 30"),
            (HTTPResponse(status: 500), "passing"),
            (HTTPResponse(status: 429), "passing"),
            (.json(["error": "temporarily_unavailable"], status: 400), "passing"),
            (HTTPResponse(status: 302), "passing"),
        ] as [(HTTPResponse, String)]
    )
    func `each answer has one meaning, whatever its status (8628-4, 8628-6, G5)`(
        response: HTTPResponse,
        meaning: String
    ) {
        #expect(Self.meaning(response) == meaning)
    }

    @Test func `Auth0's first and second word for an end both stop (8628-6)`() {
        let answers = ["expired_token", "invalid_grant"].map {
            Self.meaning(.json(["error": .string($0)], status: 403))
        }
        #expect(answers == ["expired", "refused"])
    }

    private static func meaning(_ response: HTTPResponse) -> String {
        func text(_ name: String, _ number: Int64?) -> String { name + (number.map { " \($0)" } ?? "") }
        return switch DevicePollAnswer(TokenAnswer.read(response, sentAt: now, now: now)) {
        case .pending(let wait): text("pending", wait?.components.seconds)
        case .slowDown(let interval, retryAfter: _): text("slow", interval)
        case .done: "done"
        case .denied: "denied"
        case .expired: "expired"
        case .misconfigured: "misconfigured"
        case .refused: "refused"
        case .passing(let wait): text("passing", wait?.components.seconds)
        }
    }
}
