// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Testing

@Suite struct TokenAnswerShapeTests {
    /// What must be read out of a provider's good answer.
    struct Expectation: Sendable, CustomTestStringConvertible {
        var name: String
        var lifetime: Lifetime = .unknown
        var refreshToken: String?
        var scope: String?
        var idToken: String?
        var grantLifetime: Int64?
        var extra: [String] = []
        var testDescription: String { name }
    }

    static let good: [Expectation] = [
        Expectation(
            name: "google",
            lifetime: .seconds(3599),
            refreshToken: "1//0g",
            scope: "openid https://mail.google.com/",
            idToken: "e.y.J",
            grantLifetime: 604_799,
            extra: ["refresh_token_expires_in"]
        ),
        Expectation(
            name: "entra",
            lifetime: .seconds(3599),
            refreshToken: "0.AXoA",
            scope: "User.Read profile openid email",
            idToken: "eyJ0",
            extra: ["ext_expires_in"]
        ),
        Expectation(name: "entra_v1_strings", lifetime: .seconds(3599), extra: ["expires_on", "resource"]),
        Expectation(
            name: "github_app",
            lifetime: .seconds(28_800),
            refreshToken: "ghr_x",
            grantLifetime: 15_811_200,
            extra: ["refresh_token_expires_in"]
        ),
        Expectation(
            name: "gitlab",
            lifetime: .seconds(7200),
            refreshToken: "8257",
            scope: "read_user",
            extra: ["created_at"]
        ),
        Expectation(
            name: "bitbucket",
            lifetime: .seconds(7200),
            refreshToken: "y",
            scope: "account repository",
            extra: ["scopes", "state"]
        ),
        Expectation(
            name: "keycloak_offline",
            lifetime: .seconds(300),
            refreshToken: "y",
            scope: "openid offline_access",
            idToken: "z",
            extra: ["refresh_expires_in", "not-before-policy", "session_state"]
        ),
        Expectation(
            name: "slack",
            lifetime: .seconds(43_200),
            refreshToken: "xoxe-1",
            scope: "chat:write users:read",
            extra: ["ok", "app_id", "authed_user", "team"]
        ),
        Expectation(name: "dropbox_refresh", lifetime: .seconds(14_400)),
        Expectation(
            name: "salesforce",
            scope: "refresh_token api",
            extra: ["signature", "instance_url", "id", "issued_at"]
        ),
        Expectation(name: "zoho", lifetime: .seconds(3600), extra: ["api_domain"]),
        Expectation(name: "zoho_ms", lifetime: .seconds(3600), extra: ["expires_in_sec"]),
        Expectation(
            name: "twitch",
            lifetime: .seconds(14_124),
            refreshToken: "eyJfaWQmNzMtNGCJ9%6VFV5LNrZFUj8oU231/3Aj",
            scope: "user:read:email"
        ),
        Expectation(
            name: "orcid",
            lifetime: .seconds(631_138_518),
            refreshToken: "44",
            scope: "/read-limited /person/update",
            extra: ["name", "orcid"]
        ),
        Expectation(
            name: "globus",
            lifetime: .seconds(172_800),
            scope: "openid",
            idToken: "i",
            extra: ["resource_server", "other_tokens"]
        ),
        Expectation(
            name: "better_auth",
            lifetime: .seconds(3600),
            refreshToken: "y",
            scope: "openid offline_access",
            idToken: "z",
            extra: ["expires_at"]
        ),
    ]

    @Test(arguments: good)
    func `a provider's good answer is read in its own shape (6749-11, 6749-17, A1, A2)`(
        expected: Expectation
    ) throws {
        let answer = try Vectors.answer(expected.name)
        let response = try #require(TokenAnswer.read(.json(answer)).success)
        #expect(response.lifetime == expected.lifetime)
        #expect(response.refreshToken?.reveal() == expected.refreshToken)
        #expect(response.scope?.text == expected.scope)
        #expect(response.idToken?.reveal() == expected.idToken)
        #expect(response.grantLifetime == expected.grantLifetime)
        #expect(response.extra.names == expected.extra)
        #expect(response.tokenType == "Bearer")
        let nested = answer["authed_user"]?.object ?? answer
        #expect(response.accessToken.reveal() == nested["access_token"]?.string)
    }

    @Test(arguments: [
        ("google_err", 400, "grantEnded"), ("google_reauth", 400, "userWanted"), ("entra_err", 400, "grantEnded"),
        ("github_200_error", 200, "grantEnded"), ("github_slow_down", 200, "throttled"),
        ("gitlab_err", 400, "grantEnded"), ("gitlab_err", 401, "grantEnded"), ("okta_nonce_400", 400, "unknown"),
        ("auth0_403", 403, "grantEnded"), ("keycloak_err", 400, "grantEnded"), ("slack_err", 200, "grantEnded"),
        ("zoho_200_error", 200, "grantEnded"), ("metabrainz_400", 400, "grantEnded"),
    ])
    func `a provider's error is told in its own shape (6749-15, A6, OIDC-14)`(
        name: String,
        status: Int,
        kind: String
    ) throws {
        #expect(TokenAnswer.read(.json(try Vectors.answer(name), status: status)).kind == kind)
    }

    @Test func `Entra's details come along, fit to be shown (B7)`() throws {
        let error = try #require(TokenAnswer.read(.json(try Vectors.answer("entra_err"), status: 400)).error)
        #expect(error.suberror == "bad_token")
        #expect(error.numbers == [700_082])
        #expect(error.message.hasPrefix("invalid_grant (bad_token): AADSTS700082: The refresh token has expired"))
        #expect(!error.message.contains { $0.isNewline })
        let reauth = try #require(TokenAnswer.read(.json(try Vectors.answer("google_reauth"), status: 400)).error)
        #expect(reauth.suberror == "invalid_rapt")
    }

    @Test func `Mailchimp needs its preset (6749-12, 6749-13, rule 14)`() throws {
        let answer = try Vectors.answer("mailchimp")
        #expect(TokenAnswer.read(.json(answer)).kind == "invalid")
        var dialect = ProviderDialect()
        dialect.missingTypeIsBearer = true
        let response = try #require(TokenAnswer.read(.json(answer), dialect: dialect).success)
        #expect(response.lifetime == .elapsed)
        #expect(response.scope == nil)
        dialect.zeroLifetimeIsUnlimited = true
        #expect(TokenAnswer.read(.json(answer), dialect: dialect).success?.lifetime == .unlimited)
    }

    @Test func `a form is an answer, too (A7, 6749-15)`() throws {
        let github = HTTPResponse.text(
            "access_token=gho_x&scope=repo%2Cgist&token_type=bearer",
            type: "application/x-www-form-urlencoded"
        )
        let response = try #require(TokenAnswer.read(github).success)
        #expect(response.accessToken.reveal() == "gho_x")
        #expect(response.scope == ["repo", "gist"])
        #expect(response.lifetime == .unknown)
        let failed = HTTPResponse.text("error=bad_refresh_token", type: "application/x-www-form-urlencoded")
        #expect(TokenAnswer.read(failed).kind == "grantEnded")
        let facebook = HTTPResponse.text("access_token=x&expires=5183999", type: "text/plain;charset=UTF-8")
        var dialect = ProviderDialect()
        dialect.missingTypeIsBearer = true
        #expect(TokenAnswer.read(facebook, dialect: dialect).success?.lifetime == .seconds(5_183_999))
    }

    @Test func `of a form's doubled names the last counts, and a page is no form (A8)`() {
        let doubled = HTTPResponse.text("access_token=a&access_token=b&token_type=bearer", type: "text/plain")
        #expect(TokenAnswer.read(doubled).success?.accessToken == Secret("b"))
        let page = HTTPResponse.text("<a href='?access_token=x'>", type: "text/html")
        #expect(TokenAnswer.read(page).kind == "unavailable")
    }

    @Test(arguments: ["", "mac", "\u{200B}", " x "])
    func `a type that is no bearer's stands between quotation marks, however little there is of it`(type: String) {
        let answer = TokenAnswer.read(.json(["access_token": "x", "token_type": .string(type)]))
        guard case .invalid(let invalid) = answer else {
            Issue.record("it was taken: \(answer.kind)")
            return
        }
        #expect(invalid.reason.contains("is not Bearer but “\(DisplayText.sanitized(type))”"))
    }

    @Test(arguments: ["\u{200B}", "\u{1B}[2J", ";charset=utf-8", ""])
    func `a media type of which nothing can be shown is none`(type: String) {
        guard case .unavailable(let reason, answerLost: _) = TokenAnswer.read(.text("hello", type: type)) else {
            Issue.record("an answer in words counted")
            return
        }
        #expect(reason.contains("text of no named type"), "\(reason)")
    }

    @Test func `JSON counts whatever its type says (6749-15)`() {
        let body = #" {"access_token":"x","token_type":"bearer"}"#
        for type in ["text/html", "text/plain", "application/octet-stream", ""] {
            #expect(TokenAnswer.read(.text(body, type: type)).kind == "success")
        }
    }

    @Test func `no token leaves by the extra members (6749-18)`() throws {
        for name in ["slack", "globus"] {
            let response = try #require(TokenAnswer.read(.json(try Vectors.answer(name))).success)
            let text = JSONWriter.pretty(.object(response.extra))
            #expect(!text.contains("xoxe") && !text.contains("\"rb\"") && !text.contains("\"b\""))
        }
        let odd = TokenAnswer.good(["refreshToken": "r", "x": [["client_secret": "s", "y": 1]]])
        let response = try #require(TokenAnswer.read(.json(odd)).success)
        #expect(response.extra == ["x": [["y": 1]]])
    }
}
