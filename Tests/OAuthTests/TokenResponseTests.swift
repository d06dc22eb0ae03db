// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import Secrets
import StrictJSON
import Testing

@testable import OAuth

@Suite struct TokenResponseTests {
    private func read(_ changes: JSONObject, requested: Scope = []) -> TokenAnswer {
        TokenAnswer.read(.json(TokenAnswer.good(changes)), requested: requested)
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER", "bEARER"])
    func `the token's type is compared in any case (6749-12, I)`(type: String) {
        #expect(read(["token_type": .string(type)]).success?.tokenType == "Bearer")
    }

    @Test(arguments: ["mac", "DPoP", "N_A", "user", "", nil, 1, ["Bearer"]] as [JSONValue])
    func `any other type is not served (6749-12, 8693-1)`(type: JSONValue) {
        #expect(read(["token_type": type]).kind == "invalid")
    }

    @Test func `a scope that nobody may ask for counts as absent, and is noted`() {
        let long = (0..<4000).map { "scope\($0)" }
        for value in [.string(long.joined(separator: " ")), .array(long.map { .string($0) })] as [JSONValue] {
            let response = read(["scope": value], requested: ["a"]).success
            #expect(response != nil && response?.scope == nil)
            #expect(response?.notes == ["scope is longer than 16384 bytes"])
        }
    }

    @Test func `a missing type is not served without a preset (6749-12)`() {
        let answer = HTTPResponse.json(["access_token": "x"])
        #expect(TokenAnswer.read(answer).invalid?.reason.contains("dialect.missing_type_is_bearer") == true)
        var dialect = ProviderDialect()
        dialect.bearerNames = ["User Access Token"]
        #expect(TokenAnswer.read(answer, dialect: dialect).kind == "invalid")
        let ebay = HTTPResponse.json(["access_token": "x", "token_type": "User Access Token"])
        #expect(TokenAnswer.read(ebay, dialect: dialect).kind == "success")
        #expect(TokenAnswer.read(ebay).invalid?.reason.contains("dialect.bearer_names") == true)
    }

    @Test(arguments: [
        "ya29.a0-_~+/==", "00D!AQ", "https://cilogon.org/oauth2/accessToken/1/2?lifetime=900", "x",
        String(repeating: "x", count: 100_000),
    ])
    func `a token of visible ASCII is taken, however long (6749-11, 6750-2, B11, C, G1)`(token: String) {
        #expect(read(["access_token": .string(token)]).success?.accessToken == Secret(token))
    }

    @Test(arguments: ["a b", "a\r\nX: y", "a\nb", "a\u{0}b", "tök", "a\u{7F}", " token", "a\t"])
    func `a token that no header can carry is refused (6750-2)`(token: String) {
        let answer = read(["access_token": .string(token), "refresh_token": "new"])
        #expect(answer.invalid?.refreshToken == Secret("new"))
        #expect(answer.invalid?.reason.contains(token) == false)
    }

    @Test(arguments: [nil, "", 1, true, ["x"]] as [JSONValue])
    func `an answer without a token is refused, its refresh token kept (6749-17, rule 10)`(token: JSONValue) {
        #expect(read(["access_token": token, "refresh_token": "new"]).invalid?.refreshToken == Secret("new"))
        #expect(TokenAnswer.read(.json([:])).kind == "invalid")
    }

    @Test func `a new refresh token replaces the old one, nothing keeps it (6749-17, J, A16)`() {
        #expect(read(["refresh_token": "new"]).success?.refreshToken == Secret("new"))
        #expect(read([:]).success?.refreshToken == nil)
        #expect(read(["refresh_token": nil]).success?.refreshToken == nil)
        #expect(read(["refresh_token": ""]).success?.refreshToken == nil)
        #expect(read([:]).kind == "success")
    }

    @Test(arguments: [1, true, ["r"], ["t": "r"]] as [JSONValue])
    func `a refresh token that is no text is an error that keeps the old one (rule 8)`(value: JSONValue) {
        let answer = read(["refresh_token": value])
        #expect(answer.kind == "invalid")
        #expect(answer.invalid?.refreshToken == nil)
    }

    @Test(
        arguments: [
            ("a b", "a b"), ("a,b", "a b"), ("a, b", "a b"), ("", nil), (nil, nil), (["a", "b"], "a b"),
            (["a b"], "a b"),
            ([], nil), (7, nil), (["a": 1], nil), ([1], nil), ("a  b", "a b"),
        ] as [(JSONValue, String?)]
    )
    func `a scope is read in every form; none means what was asked for (6749-14)`(value: JSONValue, text: String?) {
        let response = read(["scope": value]).success
        #expect(response != nil)
        #expect(response?.scope?.text == text)
    }

    @Test(arguments: [
        ("read+write", "read write"), ("read+write openid", "read write openid"), ("read+other", "read+other"),
        ("a+b", "a+b"), ("+read", "+read"),
    ])
    func `scopes with + between them are those that were asked for, where each was (6749-14)`(
        text: String,
        scope: String
    ) {
        let requested: Scope = ["read", "write", "a+b", "a", "b"]
        #expect(read(["scope": .string(text)], requested: requested).success?.scope?.text == scope)
    }

    @Test func `a scope with a comma that was asked for stays whole (6749-14)`() {
        #expect(read(["scope": "read,write"], requested: ["read,write"]).success?.scope?.tokens == ["read,write"])
    }

    @Test func `a scope token that cannot be one is dropped (6749-14)`() {
        let scope = read(["scope": "a \u{1b}[31mb \u{202e}c d\u{9b}1m e"], requested: ["a"]).success?.scope
        #expect(scope?.tokens == ["a", "e"])
    }

    @Test func `a smaller or larger scope is told as it is (6749-14, A10)`() {
        #expect(read(["scope": "a"], requested: ["a", "b"]).success?.scope == ["a"])
        #expect(read(["scope": "a openid"], requested: ["a"]).success?.scope == ["a", "openid"])
    }

    @Test func `an ID token that is no text is an error, an empty one is none (OIDC-12)`() {
        #expect(read(["id_token": 1, "refresh_token": "new"]).invalid?.refreshToken == Secret("new"))
        #expect(read(["id_token": ""]).success?.idToken == nil)
        #expect(read(["id_token": nil]).success?.idToken == nil)
    }

    @Test(
        arguments: [
            (["refresh_token_expires_in": 604_799], 604_799), (["refresh_expires_in": 1800], 1800),
            (["refresh_expires_in": 0], nil), (["refresh_token_expires_in": "86400"], 86_400),
            (["refresh_token_expires_in": -1], nil), (["refresh_token_expires_in": "never"], nil), ([:], nil),
        ] as [(JSONObject, Int64?)]
    )
    func `the grant's own end is read, 0 means none (rule 18)`(members: JSONObject, lifetime: Int64?) {
        #expect(read(members).success?.grantLifetime == lifetime)
    }

    @Test func `unknown members are passed on (6749-11)`() {
        #expect(
            read(["instance_url": "https://x", "n": [1]]).success?.extra == ["instance_url": "https://x", "n": [1]]
        )
    }
}

@Suite struct AccessTokenHintTests {
    private func token(_ claims: JSONObject) throws -> String {
        try SigningKey.generate(.es256).sign(claims: claims)
    }

    private func lifetime(_ token: String, members: JSONObject = [:]) throws -> Lifetime? {
        var answer: JSONObject = ["access_token": .string(token), "token_type": "bearer"]
        for member in members {
            answer[member.name] = member.value
        }
        let issuer = try Issuer("https://h")
        return TokenAnswer.read(.json(answer), issuer: issuer).success?.lifetime
    }

    @Test func `a JWT's own end is a hint where none is stated (6749-13, rule 14)`() throws {
        let good = try token(["iss": "https://h", "exp": .integer(now + 599)])
        #expect(try lifetime(good) == .seconds(600))
        #expect(try lifetime(good, members: ["expires_in": 60]) == .seconds(60))
        #expect(try lifetime(good, members: ["expires_in": "soon"]) == .seconds(600))
        #expect(try lifetime(good, members: ["expires_in": 0]) == .elapsed)
    }

    @Test func `a foreign, over or absurd JWT is no hint (rule 14)`() throws {
        #expect(try lifetime(token(["iss": "https://other", "exp": .integer(now + 600)])) == .unknown)
        #expect(try lifetime(token(["exp": .integer(now + 600)])) == .unknown)
        #expect(try lifetime(token(["iss": "https://h", "exp": .integer(now - 600)])) == .unknown)
        #expect(try lifetime(token(["iss": "https://h", "exp": .integer(now + 40 * 86_400)])) == .unknown)
        #expect(try lifetime(token(["iss": "https://h", "exp": "tomorrow"])) == .unknown)
        #expect(try lifetime("a.b.c") == .unknown)
        #expect(try lifetime("opaque") == .unknown)
    }
}
