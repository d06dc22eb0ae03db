// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import StrictJSON
import Testing

@testable import OAuth

/// What an ID token that comes with a refresh may differ in (OpenID Connect Core, section 12.2).
@Suite struct IDTokenRefreshTests {
    let signer: TokenSigner
    let login: IDToken

    init() throws {
        signer = try TokenSigner()
        let compact = try signer.token(["auth_time": .integer(now - 900), "iat": .integer(now - 800)])
        login = try IDToken.verify(compact: compact, keys: signer.keys, rules: TokenSigner.rules())
    }

    private func refusal(_ changes: JSONObject, since baseline: IDTokenBaseline? = nil) throws -> IDTokenError.Check? {
        let rules = try TokenSigner.rules(.refresh(baseline ?? IDTokenBaseline(login)))
        return signer.refusal(try signer.token(changes), rules)?.check
    }

    @Test(
        arguments: [
            ["nonce": nil], ["nonce": "n"], ["auth_time": .integer(now - 900)], ["iat": .integer(now - 800)],
            ["aud": ["app"]],
        ] as [JSONObject]
    )
    func `a token that continues the login's is accepted (OIDC-11)`(changes: JSONObject) throws {
        #expect(try refusal(changes) == nil)
    }

    @Test(
        arguments: [
            (["sub": "u2"], .subject), (["iss": "https://other"], .issuer), (["aud": "other"], .audience),
            (["sub": "u2", "exp": .integer(now - 100)], .subject), (["aud": "other", "azp": "other"], .audience),
            (["sub": "u2", "aud": ["app", "other"]], .subject), (["sub": nil], .subject),
        ] as [(JSONObject, IDTokenError.Check)]
    )
    func `another issuer, client or user refuses what came with it, whatever else is wrong (OIDC-11)`(
        changes: JSONObject,
        check: IDTokenError.Check
    ) throws {
        #expect(try refusal(changes) == check)
        #expect(check.guardsRefresh)
    }

    @Test(
        arguments: [
            (["aud": ["app", "other"], "azp": "app"], .authorizedParty), (["azp": "app"], .authorizedParty),
            (["azp": "other"], .authorizedParty), (["aud": ["app", "other"]], .authorizedParty),
            (["iat": .integer(now - 801)], .issuedAt), (["auth_time": .integer(now - 1)], .authenticationTime),
            (["nonce": "other"], .nonce), (["exp": .integer(now - 100)], .expiry), (["iat": nil], .issuedAt),
        ] as [(JSONObject, IDTokenError.Check)]
    )
    func `any other break with the login's costs the ID token alone (OIDC-11)`(
        changes: JSONObject,
        check: IDTokenError.Check
    ) throws {
        #expect(try refusal(changes) == check)
        #expect(!check.guardsRefresh)
        let rules = try TokenSigner.rules(.refresh(IDTokenBaseline(login)))
        #expect(throws: Never.self) { try IDToken.checkUnverified(try signer.token(changes), rules: rules) }
    }

    @Test(
        arguments: [
            (["sub": "u2"], .subject), (["iss": "https://other"], .issuer), (["aud": "other"], .audience),
            (["sub": "u2", "iat": nil], .subject), ([:], nil), (["sub": nil, "iss": nil, "aud": nil], nil),
        ] as [(JSONObject, IDTokenError.Check?)]
    )
    func `what cannot be verified may still not name another issuer, client or user (OIDC-11)`(
        changes: JSONObject,
        check: IDTokenError.Check?
    ) throws {
        let rules = try TokenSigner.rules(.refresh(IDTokenBaseline(login)))
        let strangers = try TokenSigner().token(changes)
        var found: IDTokenError?
        do throws(IDTokenError) {
            try IDToken.checkUnverified(strangers, rules: rules)
        } catch {
            found = error
        }
        #expect(found?.check == check && found?.isOtherSubject != true)
        #expect(throws: Never.self) { try IDToken.checkUnverified(Secret("no token"), rules: rules) }
    }

    @Test func `after a restart the subject still counts (OIDC-11)`() throws {
        let baseline = IDTokenBaseline(subject: "u1")
        #expect(try refusal(["azp": "app", "nonce": "any"], since: baseline) == nil)
        #expect(try refusal(["sub": "u2"], since: baseline) == .subject)
    }
}
