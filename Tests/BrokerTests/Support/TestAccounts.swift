// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd

@testable import Broker

extension AccountConfiguration {
    /// An account that names its endpoints and has no issuer: no discovery and no ID token.
    static func plain(_ name: String = "work") throws -> AccountConfiguration {
        var account = AccountConfiguration(name: name, issuer: nil, clientID: "app")
        account.endpoints.authorization = try WebURL("https://idp.example/authorize")
        account.endpoints.token = try WebURL("https://idp.example/token")
        account.endpoints.revocation = try WebURL("https://idp.example/revoke")
        account.scopes = ["mail"]
        return account
    }

    /// An account of the OpenID provider that `TestIssuer` plays.
    static func openID(_ name: String = "work") throws -> AccountConfiguration {
        var account = AccountConfiguration(name: name, issuer: try Issuer(TestIssuer.name), clientID: "app")
        account.scopes = ["openid", "mail"]
        return account
    }

    /// The same with other settings of its refreshes.
    func refreshing(_ change: (inout RefreshSettings) -> Void) -> AccountConfiguration {
        var account = self
        change(&account.refresh)
        return account
    }
}

/// An OpenID provider's documents, and ID tokens that it signs.
struct TestIssuer {
    static let name = "https://idp.example"
    /// A URL that no test asks for.
    static let nowhere: WebURL = {
        do { return try WebURL("https://nowhere.invalid/") } catch { fatalError("\(error)") }
    }()

    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.es256, keyID: "k1")
    }

    /// What its metadata and its keys answer, by URL.
    var documents: [String: HTTPResponse] {
        let metadata: JSONObject = [
            "issuer": .string(Self.name), "authorization_endpoint": .string(Self.name + "/authorize"),
            "token_endpoint": .string(Self.name + "/token"), "revocation_endpoint": .string(Self.name + "/revoke"),
            "jwks_uri": .string(Self.name + "/jwks"), "id_token_signing_alg_values_supported": ["ES256"],
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        ]
        return [
            Self.name + "/.well-known/openid-configuration": .json(metadata),
            Self.name + "/.well-known/oauth-authorization-server": .json(["error": "not_found"], status: 404),
            Self.name + "/jwks": .json(["keys": .array([.object(key.publicJWK)])]),
        ]
    }

    /// A good ID token, some of its claims replaced (null removes).
    func idToken(_ changes: JSONObject = [:], at now: Moment) throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.name), "sub": "alice", "aud": "app", "iat": .integer(now.wall),
            "exp": .integer(now.wall + 3600), "email": "alice@idp.example",
        ]
        for member in changes { claims[member.name] = member.value.isNull ? Optional.none : member.value }
        return try key.sign(claims: claims)
    }
}

extension HTTPResponse {
    /// An answer in JSON.
    static func json(_ object: JSONObject, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return HTTPResponse(status: status, headers: headers, body: JSONWriter.bytes(.object(object)))
    }

    /// An answer that is no JSON: a portal, a proxy, an outage.
    static func page(status: Int, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "text/html"
        return HTTPResponse(status: status, headers: headers, body: Array("<html>Sign in to the network</html>".utf8))
    }

    /// A token endpoint's good answer.
    static func token(
        _ access: String,
        expiresIn: Int64? = 3600,
        refresh: String? = nil,
        _ more: JSONObject = [:]
    ) -> HTTPResponse {
        var object: JSONObject = ["access_token": .string(access), "token_type": "Bearer"]
        object["expires_in"] = expiresIn.map { .integer($0) }
        object["refresh_token"] = refresh.map { .string($0) }
        for member in more { object[member.name] = member.value }
        return .json(object)
    }

    /// A token endpoint's error.
    static func oauthError(_ code: String, status: Int = 400, headers: HTTPHeaders = [:]) -> HTTPResponse {
        .json(["error": .string(code)], status: status, headers: headers)
    }
}

extension GrantRecord {
    /// A grant as a login leaves it: refresh token `R1`, signed in at `now`.
    static func signedIn(
        _ account: AccountConfiguration,
        at now: Moment,
        access: String? = "A1",
        expiresIn: Int64 = 3600,
        age: Int64 = 0
    ) -> GrantRecord {
        let destination = GrantDestination(account: account, wire: .init(), metadata: ProviderMetadata())
        var record = GrantRecord(scope: account.scopes, destination: destination, signedInAt: now.wall - age)
        record.refreshToken = Secret("R1")
        record.subject = account.issuer == nil ? nil : "alice"
        record.token = access.map { access in
            HeldToken(
                accessToken: Secret(access),
                tokenType: "Bearer",
                scope: account.scopes,
                issuedAt: now.wall - age,
                lifetime: .seconds(expiresIn),
                obtainedAtBoot: now.boot,
                ageThen: age
            )
        }
        return record
    }
}
