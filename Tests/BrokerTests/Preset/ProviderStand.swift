// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// An account of a preset, and its provider as a play shows it.
@LoopActor struct ProviderStand {
    let play: ProviderPlay
    let account: AccountConfiguration
    let login: LoginStand
    /// Where the browser is sent, without a query.
    private(set) var authorization: String
    private(set) var token: String
    private var key: SigningKey?
    /// One for each algorithm: making an RSA key takes long, and holds up every other test of the loop.
    private static var keys: [SignatureAlgorithm: SigningKey] = [:]
    private var metadata: JSONObject = [:]

    /// Where the provider wants a secret, the account has one.
    init(_ play: ProviderPlay) async throws {
        self.play = play
        account = try BuiltInPresetTests.account(play.name, set: play.set)
        login = try await LoginStand([account])
        authorization = account.endpoints.authorization?.text ?? ""
        token = account.endpoints.token?.text ?? ""
        login.transport.script = { request in
            guard request.method == .get || request.url.path.hasSuffix("revoke") else { return nil }
            return .success(.json(["error": "not_found"], status: request.method == .get ? 404 : 200))
        }
        if account.clientAuthentication != .none {
            let secret: JSONObject = ["account": "work", "kind": "client_secret", "value": .string(Self.secret)]
            _ = try await login.client.call(.accountSecret, secret).get()
        }
        guard let issuer = account.issuer else { return }
        metadata = try document(issuer)
        authorization = metadata["authorization_endpoint"]?.string ?? ""
        token = metadata["token_endpoint"]?.string ?? ""
        try publish(issuer)
    }

    static let secret = "s3cret"

    /// Whether a request shows the client in the way that the preset says, and in no other.
    func showsClient(_ request: HTTPRequest) -> Bool {
        let header = request.headers["Authorization"]
        let inBody = request.form["client_secret"]
        return switch account.clientAuthentication {
        case .clientSecretBasic: header?.hasPrefix("Basic ") == true && inBody == nil
        case .clientSecretPost: header == nil && inBody == Self.secret && request.form["client_id"] == "app"
        default: header == nil && inBody == nil && request.form["client_id"] == "app"
        }
    }

    var client: MethodClient { login.client }

    func end() { login.end() }

    private func document(_ issuer: Issuer) throws -> JSONObject {
        switch play.metadata {
        case .real(let name): return try ProviderPlay.document(name)
        case .form(let authorization, let token), .oauthForm(let authorization, let token):
            return [
                "issuer": play.claims["iss"] ?? .string(issuer.text),
                "authorization_endpoint": .string(issuer.text + authorization),
                "token_endpoint": .string(issuer.text + token), "jwks_uri": .string(issuer.text + "/jwks"),
                "response_types_supported": ["code"], "id_token_signing_alg_values_supported": ["RS256"],
                "authorization_response_iss_parameter_supported": .bool(play.name == "discord"),
            ]
        case .none: return [:]
        }
    }

    private mutating func publish(_ issuer: Issuer) throws {
        let discovery = try Discovery(issuer: issuer)
        let isOAuth: Bool =
            switch play.metadata {
            case .oauthForm: true
            case .real(let name): name.contains("oauth-authorization-server")
            case .form, .none: false
            }
        let place = isOAuth ? discovery.oauthURL : discovery.openIDURLs[0]
        login.transport.documents[place.text] = .json(metadata)
        let algorithms = metadata["id_token_signing_alg_values_supported"]?.array?.compactMap(\.string) ?? []
        guard let algorithm = algorithms.compactMap(SignatureAlgorithm.init(rawValue:)).first else { return }
        let key = try Self.keys[algorithm] ?? SigningKey.generate(algorithm, keyID: "k1")
        Self.keys[algorithm] = key
        self.key = key
        if let url = metadata["jwks_uri"]?.string {
            login.transport.documents[url] = .json(["keys": .array([.object(key.publicJWK)])])
        }
    }

    /// What the browser brings home.
    func homecoming(_ login: LoginStand.Started) -> FormParameters {
        var query: FormParameters = ["code": "C1", "state": login.state]
        if metadata["authorization_response_iss_parameter_supported"]?.bool == true {
            query.append("iss", metadata["issuer"]?.string ?? "")
        }
        return query
    }

    /// The answer to the code, with an ID token where the user's name was asked for.
    func answer(to login: LoginStand.Started) throws -> JSONObject {
        guard account.issuer != nil, key != nil, account.scopes.contains("openid") else { return play.answer }
        return play.answer.with(["id_token": .string(try idToken(nonce: login.nonce ?? ""))])
    }

    /// An ID token of the provider's; without a nonce, as a device login brings it.
    func idToken(nonce: String?) throws -> String {
        guard let issuer = account.issuer, let key else { return "" }
        let now = login.clock.now.wall
        var claims: JSONObject = [
            "iss": .string(issuer.text), "sub": "alice", "aud": "app", "iat": .integer(now),
            "exp": .integer(now + 3600), "email": "alice@example.com",
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return try key.sign(claims: claims.with(play.claims))
    }
}
