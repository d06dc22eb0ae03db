// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// A provider's key and ID tokens signed with it.
struct TokenSigner {
    let key: SigningKey
    var keys: JSONWebKeySet { JSONWebKeySet(keys: [key.publicKey]) }

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm, keyID: "k1")
    }

    /// Good claims, some replaced (null removes).
    static func claims(_ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": "https://h", "sub": "u1", "aud": "app", "exp": .integer(now + 600), "iat": .integer(now - 5),
            "nonce": "n",
        ]
        for member in changes {
            claims[member.name] = member.value.isNull ? Optional.none : member.value
        }
        return claims
    }

    func token(_ changes: JSONObject = [:], header: JSONObject = [:]) throws -> Secret {
        Secret(try key.sign(header: header, claims: Self.claims(changes)))
    }

    /// The rules of a login, to be changed by a test.
    static func rules(_ occasion: IDTokenRules.Occasion = .login(nonce: "n")) throws -> IDTokenRules {
        var rules = IDTokenRules(occasion, issuer: try Issuer("https://h"), clientID: "app", now: now)
        rules.algorithms = ["ES256", "RS256", "EdDSA"]
        return rules
    }

    /// The check that refuses a token; nil if none does.
    func refusal(_ token: Secret, _ rules: IDTokenRules) -> IDTokenError? {
        do {
            _ = try IDToken.verify(compact: token, keys: keys, rules: rules)
            return nil
        } catch {
            return error
        }
    }

    func refusal(_ changes: JSONObject) throws -> IDTokenError.Check? {
        refusal(try token(changes), try Self.rules())?.check
    }
}

@Suite struct IDTokenTests {
    let signer: TokenSigner

    init() throws {
        signer = try TokenSigner()
    }

    @Test(arguments: [SignatureAlgorithm.es256, .rs256, .eddsa])
    func `a good token gives its claims (OIDC-4)`(algorithm: SignatureAlgorithm) throws {
        let signer = try TokenSigner(algorithm)
        let compact = try signer.token([
            "email": "a@b\u{202E}", "preferred_username": "ab", "name": "A B", "azp": "app",
        ])
        let token = try IDToken.verify(compact: compact, keys: signer.keys, rules: TokenSigner.rules())
        #expect(token.subject == "u1" && token.audiences == ["app"] && token.authorizedParty == "app")
        #expect(token.identity == "a@b" && token.name == "A B")
        #expect(token.expiresAt == now + 600 && token.issuedAt == now - 5)
    }

    @Test(
        arguments: [
            (["iss": "https://h/"], .issuer), (["iss": nil], .issuer), (["iss": 1], .issuer),
            (["aud": "other"], .audience), (["aud": nil], .audience), (["aud": []], .audience),
            (["aud": [1]], .audience),
            (["aud": ["app", "evil"]], .authorizedParty), (["aud": ["app", "evil"], "azp": "evil"], .authorizedParty),
            (["aud": ["app", "app"]], .authorizedParty), (["aud": ["evil", "other"], "azp": "app"], .audience),
            (["azp": "other"], .authorizedParty), (["azp": ""], .authorizedParty),
            (["exp": .integer(now - 61)], .expiry), (["exp": nil], .expiry), (["exp": "1"], .expiry),
            (["iat": .integer(now + 400)], .issuedAt), (["iat": nil], .issuedAt), (["iat": true], .issuedAt),
            (["iat": .integer(now - 7 * 86_400)], .issuedAt),
            (["nonce": "other"], .nonce), (["nonce": nil], .nonce), (["nonce": 1], .nonce),
            (["azp": ["app"]], .audience),
            (["sub": nil], .subject), (["sub": ""], .subject), (["sub": 1], .subject), (["sub": "ü"], .subject),
            (["sub": .string(String(repeating: "x", count: 256))], .subject),
        ] as [(JSONObject, IDTokenError.Check)]
    )
    func `a broken claim refuses the token (OIDC-2, OIDC-3, OIDC-5, OIDC-6, OIDC-8)`(
        changes: JSONObject,
        check: IDTokenError.Check
    ) throws {
        #expect(try signer.refusal(changes) == check)
    }

    @Test(
        arguments: [
            ["aud": ["app"]], ["aud": ["app"], "azp": "app"], ["aud": ["app", "246", "other@project"], "azp": "app"],
            ["exp": .integer(now - 59)], ["iat": .integer(now + 299)],
            ["sub": .string(String(repeating: "x", count: 255))], ["email": 1], ["email": nil], ["unknown": [1]],
            ["acr": "0"], ["amr": "pwd"], ["auth_time": 0], ["acr": ["values": ["1"]]], ["acr": 1],
            ["auth_time": "2026-08-09T02:02:12Z"], ["auth_time": ["x": 1]], ["at_hash": 7],
            ["exp": .string(String(now + 600))], ["iat": .string(String(now))],
        ] as [JSONObject]
    )
    func `what is within the rules is accepted (OIDC-3, OIDC-5, OIDC-8)`(changes: JSONObject) throws {
        #expect(try signer.refusal(changes) == nil)
    }

    @Test func `times may have a fraction (OIDC-5)`() throws {
        let claims = #"{"iss":"https://h","sub":"u","aud":"app","nonce":"n","exp":\#(now + 9).5,"iat":1.786240932e9}"#
        let token = Secret(try signer.key.sign(payload: Array(claims.utf8)))
        #expect(signer.refusal(token, try TokenSigner.rules()) == nil)
    }

    @Test func `where trusted audiences are named, no other may stand beside the client (OIDC-3)`() throws {
        var rules = try TokenSigner.rules()
        rules.trustedAudiences = ["project"]
        #expect(signer.refusal(try signer.token(["aud": ["project", "app"], "azp": "app"]), rules) == nil)
        #expect(signer.refusal(try signer.token(["aud": ["project", "app"]]), rules) == nil)
        let another = try signer.token(["aud": ["project", "app"], "azp": "project"])
        #expect(signer.refusal(another, rules)?.check == .authorizedParty)
        #expect(signer.refusal(try signer.token(["aud": ["project"], "azp": "app"]), rules)?.check == .audience)
        let further = try signer.token(["aud": ["project", "app", "other"], "azp": "app"])
        #expect(signer.refusal(further, rules)?.check == .audience)
        rules.trustedAudiences = []
        #expect(signer.refusal(try signer.token(["aud": ["app", "x"], "azp": "app"]), rules)?.check == .audience)
        #expect(signer.refusal(try signer.token(), rules) == nil)
    }

    @Test func `another person's login is refused where one is expected (OIDC-8, E10)`() throws {
        var rules = try TokenSigner.rules()
        rules.expectedSubject = "u1"
        #expect(signer.refusal(try signer.token(), rules) == nil)
        #expect(signer.refusal(try signer.token(["sub": "u2", "email": "same@b"]), rules)?.check == .subject)
    }

    @Test func `a template's issuer is checked with the tenant (DISC-5)`() throws {
        var rules = try TokenSigner.rules()
        rules.issuer = try Issuer("https://h/common", template: "https://h/{tenantid}/v2.0")
        #expect(signer.refusal(try signer.token(["iss": "https://h/t1/v2.0", "tid": "t1"]), rules) == nil)
        #expect(signer.refusal(try signer.token(["iss": "https://h/t1/v2.0", "tid": "t2"]), rules)?.check == .issuer)
        #expect(signer.refusal(try signer.token(["iss": "https://h/t1/v2.0"]), rules)?.check == .issuer)
    }

    @Test func `max_age needs a recent auth_time (OIDC-7, 9470-1)`() throws {
        var rules = try TokenSigner.rules()
        rules.maxAge = 300
        #expect(signer.refusal(try signer.token(), rules)?.check == .authenticationTime)
        let recent = try signer.token(["auth_time": .integer(now - 300)])
        let old = try signer.token(["auth_time": .integer(now - 361)])
        #expect(signer.refusal(recent, rules) == nil)
        #expect(signer.refusal(old, rules)?.check == .authenticationTime)
    }

    @Test func `acr must be one that was asked for (OIDC-7, 9470-1)`() throws {
        var rules = try TokenSigner.rules()
        rules.authenticationClasses = ["phr", "phrh"]
        #expect(signer.refusal(try signer.token(["acr": "phrh"]), rules) == nil)
        #expect(signer.refusal(try signer.token(["acr": "pwd"]), rules)?.check == .authenticationClass)
        #expect(signer.refusal(try signer.token(), rules)?.check == .authenticationClass)
    }

    @Test func `at_hash ties the token to its access token (OIDC-9)`() throws {
        let signer = try TokenSigner(.eddsa)
        var rules = try TokenSigner.rules()
        rules.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        let eddsaHash = Base64URL.encode(
            Digest.sha512(Array("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y".utf8)).prefix(32)
        )
        #expect(signer.refusal(try signer.token(["at_hash": .string(eddsaHash)]), rules) == nil)
        #expect(signer.refusal(try signer.token(["at_hash": "x"]), rules)?.check == .accessTokenHash)
        #expect(signer.refusal(try signer.token(), rules) == nil)
    }

    @Test func `the specification's at_hash is right (OIDC-9)`() throws {
        var rules = try TokenSigner.rules()
        rules.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
        #expect(signer.refusal(try signer.token(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"]), rules) == nil)
        rules.accessToken = Secret("another")
        let refused = signer.refusal(try signer.token(["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"]), rules)
        #expect(refused?.check == .accessTokenHash)
    }
}

@Suite struct IDTokenSignatureTests {
    let signer: TokenSigner

    init() throws {
        signer = try TokenSigner()
    }

    @Test func `a token that was changed is refused (OIDC-4)`() throws {
        let text = try signer.token().reveal()
        let parts = text.split(separator: ".")
        let forged = Base64URL.encode(JSONWriter.bytes(.object(TokenSigner.claims(["sub": "u2"]))))
        let refused = signer.refusal(Secret("\(parts[0]).\(forged).\(parts[2])"), try TokenSigner.rules())
        #expect(refused?.check == .signature)
        #expect(refused?.isKeyUnknown == false)
    }

    @Test(arguments: [#"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"ES256K"}"#])
    func `none and unexpected algorithms are refused (OIDC-4)`(header: String) throws {
        let payload = Base64URL.encode(JSONWriter.bytes(.object(TokenSigner.claims())))
        let text = Base64URL.encode(Array(header.utf8)) + "." + payload + "."
        var rules = try TokenSigner.rules()
        rules.algorithms += ["none", "HS256", "ES256K"]
        for token in [text, text + "AAAA"] {
            #expect(signer.refusal(Secret(token), rules)?.check == .algorithm)
        }
    }

    @Test func `an algorithm that the provider does not list is refused (OIDC-4)`() throws {
        var rules = try TokenSigner.rules()
        rules.algorithms = ["RS256"]
        #expect(signer.refusal(try signer.token(), rules)?.check == .algorithm)
    }

    @Test func `either name of Ed25519 will do`() throws {
        let signer = try TokenSigner(.ed25519)
        var rules = try TokenSigner.rules()
        rules.algorithms = ["EdDSA"]
        #expect(signer.refusal(try signer.token(), rules) == nil)
    }

    @Test func `an unknown key asks for a new key set, a bad signature does not (OIDC-10)`() throws {
        let other = try TokenSigner()
        let renamed = Secret(try other.key.sign(header: ["kid": "k2"], claims: TokenSigner.claims()))
        #expect(signer.refusal(renamed, try TokenSigner.rules())?.isKeyUnknown == true)
        let known = signer.refusal(try other.token(), try TokenSigner.rules())
        #expect(known?.check == .signature && known?.isKeyUnknown == false)
    }

    @Test(arguments: ["", "a.b", "a.b.c", "e30.e30.e30.e30", "%.%.%"])
    func `what is no signed token is refused (OIDC-4)`(text: String) throws {
        #expect(signer.refusal(Secret(text), try TokenSigner.rules())?.check == .form)
    }

    @Test func `an unknown extension is refused (OIDC-4)`() throws {
        let token = try signer.token(header: ["crit": ["b64"], "b64": true])
        #expect(signer.refusal(token, try TokenSigner.rules())?.check == .form)
    }

    @Test func `no message shows anything of the token's (6749-18)`() throws {
        for changes in [["iss": "canary"], ["aud": "canary"], ["nonce": "canary"], ["azp": "canary"]] as [JSONObject] {
            let refused = signer.refusal(try signer.token(changes), try TokenSigner.rules())
            #expect(refused?.message.contains("canary") == false)
        }
    }
}
