// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import Secrets
import StrictJSON
import Systemd

@testable import Broker

/// An OpenID provider whose documents and keys a test changes while it runs.
@LoopActor final class PlayedProvider {
    static let name = "https://idp.example"
    static let keySetURL = name + "/jwks"
    private static let openIDURL = name + "/.well-known/openid-configuration"
    private static let oauthURL = name + "/.well-known/oauth-authorization-server"

    private let transport: ScriptedTransport
    private let clock: HandClock
    private(set) var keys: [SigningKey] = []

    /// Publishes a good metadata document and one key.
    init(_ world: World) throws {
        transport = world.transport
        clock = world.clock
        transport.documents[Self.oauthURL] = .json(["error": "not_found"], status: 404)
        publish()
        try addKey("k1")
    }

    /// Publishes the metadata, some members replaced (null removes).
    func publish(_ changes: JSONObject = [:]) {
        var metadata: JSONObject = [
            "issuer": .string(Self.name), "authorization_endpoint": "https://idp.example/authorize?tenant=1",
            "token_endpoint": "https://idp.example/token", "revocation_endpoint": "https://idp.example/revoke",
            "jwks_uri": .string(Self.keySetURL), "id_token_signing_alg_values_supported": ["ES256"],
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        ]
        for member in changes { metadata[member.name] = member.value.isNull ? Optional.none : member.value }
        publish(.json(metadata))
    }

    /// Publishes everything again, and answers the request for metadata that waits.
    func publishAgain(answering exchange: ScriptedTransport.Exchange) throws {
        transport.documents[Self.oauthURL] = .json(["error": "not_found"], status: 404)
        publishKeys()
        publish()
        if let document = transport.documents[Self.openIDURL] { exchange.answer(document) }
    }

    /// Publishes whatever a test says as its metadata.
    func publish(_ response: HTTPResponse) {
        transport.documents[Self.openIDURL] = response
    }

    /// Puts a new key in force and publishes it with the others.
    func addKey(_ id: String, isPublished: Bool = true) throws {
        keys.append(try SigningKey.generate(.es256, keyID: id))
        if isPublished { publishKeys() }
    }

    /// Puts other keys in force under the names of the old ones.
    func replaceKeys() throws {
        keys = try keys.map { try SigningKey.generate(.es256, keyID: $0.keyID) }
        publishKeys()
    }

    func publishKeys() {
        let set = JSONValue.array(keys.map { .object($0.publicJWK) })
        transport.documents[Self.keySetURL] = .json(["keys": set])
    }

    /// How often its keys were fetched.
    var keyFetches: Int { transport.requests.count { $0.url.text == Self.keySetURL } }

    /// How often its metadata was fetched.
    var metadataFetches: Int { transport.requests.count { $0.url.text == Self.openIDURL } }

    /// Answers userinfo requests.
    func publishUserInfo(_ response: HTTPResponse) {
        publish(["userinfo_endpoint": .string(Self.name + "/userinfo")])
        transport.documents[Self.name + "/userinfo"] = response
    }

    /// An ID token for a login, signed by the newest key; some claims replaced (null removes).
    func idToken(nonce: String?, _ changes: JSONObject = [:]) throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.name), "sub": "alice", "aud": "app", "iat": .integer(clock.now.wall),
            "exp": .integer(clock.now.wall + 3600), "email": "alice@idp.example",
        ]
        claims["nonce"] = nonce.map { .string($0) }
        for member in changes { claims[member.name] = member.value.isNull ? Optional.none : member.value }
        return try keys[keys.count - 1].sign(claims: claims)
    }
}
