// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import JOSE
package import StrictJSON

/// An ID token before it is signed, for a test to spoil.
package struct IDTokenDraft: Sendable {
    package enum Signer: Sendable {
        /// The key in force, which the JWKS publishes.
        case current
        /// A key that the JWKS does not publish, under the `kid` of one that it does.
        case stranger
        /// The right signature with one bit of it turned.
        case spoiled
        /// `alg` `none` and an empty signature.
        case unsigned
    }

    /// The JWS header. Another `kid` is signed as it stands; another `alg` gets a signature that fits nothing.
    package var header: JSONObject
    package var claims: JSONObject
    package var signer = Signer.current

    /// The claims that OpenID Connect Core, section 2, asks for and this provider knows.
    static func make(
        issuer: String,
        grant: GrantBook.Grant,
        accessToken: String,
        settings: ProviderSettings,
        key: SigningKey
    ) -> Self {
        let now = time(nil)
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(grant.subject), "aud": .string(grant.clientID),
            "iat": .number(JSONNumber(Int64(now))),
            "exp": .number(JSONNumber(Int64(now + settings.idTokenLifetime))),
            "auth_time": .number(JSONNumber(Int64(grant.authenticatedAt))),
            "at_hash": .string(leftHalfHash(of: accessToken, key.algorithm)),
        ]
        if let nonce = grant.nonce { claims["nonce"] = .string(nonce) }
        let scope = grant.scope.split(separator: " ")
        let user = settings.user(ofSubject: grant.subject)
        if scope.contains("email") { claims["email"] = .string(user.email) }
        if scope.contains("profile") { claims["preferred_username"] = .string(user.name) }
        return Self(header: ["typ": "JWT"], claims: claims)
    }

    /// `at_hash` (section 3.1.3.6): the left half of the digest that the signature uses.
    private static func leftHalfHash(of accessToken: String, _ algorithm: SignatureAlgorithm) -> String {
        let digest = algorithm.digest(Array(accessToken.utf8))
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }
}
