// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import JOSE
package import Secrets
import StrictJSON

/// A client's signed assertion of its identity (RFC 7523, sections 2.2 and 3), for one request.
package enum ClientAssertion {
    /// How long it is valid.
    private static let lifetime: Int64 = 60

    /// Makes an assertion for the token endpoint (or the issuer, if a provider requires that).
    ///
    /// `entropy` is at least 16 octets of a cryptographic generator for `jti`; `now` is the unix time.
    package static func make(
        key: SigningKey,
        clientID: String,
        audience: String,
        now: Int64,
        entropy: [UInt8]
    ) throws(OAuthError) -> Secret {
        let claims: JSONObject = [
            "iss": .string(clientID), "sub": .string(clientID), "aud": .string(audience),
            "jti": .string(UnguessableText.make(entropy: entropy)),
            "iat": .integer(now), "exp": .integer(now + lifetime),
        ]
        do {
            return Secret(try key.sign(header: ["typ": "JWT"], claims: claims))
        } catch {
            throw OAuthError(.invalidRequest, "the client's key cannot sign: \(error.message)", underlying: error)
        }
    }
}
