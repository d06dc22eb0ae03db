// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// The application's backend that takes the provider's token and gives its own.
@Suite struct ApplicationExchangeTests {
    private func exchange(token: String = "token") throws -> ApplicationExchange {
        var exchange = ApplicationExchange(url: try WebURL("https://app.example/session"))
        exchange.token = token
        return exchange
    }

    private func read(_ status: Int, _ body: String, token: String = "token") throws -> ApplicationAnswer {
        ApplicationAnswer.read(
            HTTPResponse(status: status, headers: ["Retry-After": "7"], body: Array(body.utf8)),
            to: try exchange(token: token),
            now: 1000,
            sent: Secret("sent-secret-0123456789")
        )
    }

    @Test func `one JSON object is posted, and nothing else tells of the token`() throws {
        var exchange = try exchange()
        exchange.field = "id\"token"
        let request = exchange.request(Secret("a.b.c"))
        #expect(request.method == .post && request.url.query == nil)
        #expect(request.body?.reveal() == #"{"id\"token":"a.b.c"}"#)
        #expect(request.headers.map(\.name) == ["Accept", "Content-Type"])
    }

    @Test(
        arguments: [
            (#"{"token":"S","expires_in":60}"#, "token", Lifetime.seconds(60)),
            (#"{"token":"S","expires_in":"60"}"#, "token", .seconds(60)), (#"{"token":"S"}"#, "token", .unknown),
            (#"{"token":"S","expires_in":0}"#, "token", .elapsed),
            (#"{"data":{"jwt":"S"},"expires_in":5.9}"#, "data.jwt", .seconds(5)),
            (#"{"data.jwt":"S"}"#, "data.jwt", .unknown),
        ]
    )
    func `a token is found where the account says, with its life`(body: String, path: String, life: Lifetime) throws {
        guard case .token(let token, let lifetime) = try read(200, body, token: path) else {
            Issue.record("\(body) was refused")
            return
        }
        #expect(token == Secret("S") && lifetime == life)
    }

    @Test(
        arguments: [
            "", "<html>", "[]", "{}", #"{"token":""}"#, #"{"token":1}"#, #"{"token":"a b"}"#, #"{"token":"a\n"}"#,
            #"{"Token":"S"}"#,
        ]
    )
    func `what is no token is served to nobody`(body: String) throws {
        guard case .invalid = try read(200, body) else {
            Issue.record("\(body) was taken")
            return
        }
    }

    @Test func `an outage, a refusal and a redirect are told apart`() throws {
        for status in [408, 425, 429, 500, 503] {
            guard case .unavailable(_, let wait) = try read(status, "{}") else {
                Issue.record("HTTP \(status) was no outage")
                continue
            }
            #expect(wait == .seconds(7))
        }
        for status in [400, 401, 403, 404] {
            guard case .refused(let body) = try read(status, #"{"detail":"who are you"}"#) else {
                Issue.record("HTTP \(status) was no refusal")
                continue
            }
            #expect(body.status == status && body.message.contains("who are you"))
        }
        guard case .invalid = try read(302, "") else {
            Issue.record("a redirect was followed")
            return
        }
    }

    @Test func `what the backend says of the token it saw is cut`() throws {
        for name in ["error", "message", "detail"] {
            guard case .refused(let body) = try read(400, #"{"\#(name)":"not sent-secret-0123456789"}"#) else {
                Issue.record("it was no refusal")
                continue
            }
            #expect(!body.message.contains("0123456789") && body.message.contains("not "))
        }
    }
}
