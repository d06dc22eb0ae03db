// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A public key that signatures are verified with (RFC 7517, section 4), checked and ready for use.
package struct JSONWebKey: Sendable {
    /// The name that a signature's header calls it by (`kid`).
    package let keyID: String?

    /// The one algorithm that it is meant for (`alg`), if it says so.
    package let algorithm: String?

    let parameters: PublicParameters
    let key: EVPKey

    /// Reads a key as a provider publishes it.
    ///
    /// Refused, as `malformed` or `unusableKey`: another type or curve than RSA, P-256, P-384, P-521 and
    /// Ed25519; RSA under 2048 bits; a point off its curve; what is no base64; a use other than signatures;
    /// and a key with its private part, since every reader of it can sign.
    package init(_ jwk: JSONObject) throws(JOSEError) {
        guard jwk["d"] == nil else { throw JOSEError(.unusableKey, "the key's private part is public") }
        if let use = jwk.word("use"), use != "sig" {
            throw JOSEError(.unusableKey, "the key is not meant for signatures")
        }
        if let operations = jwk["key_ops"]?.array, !operations.contains("verify") {
            throw JOSEError(.unusableKey, "the key is not meant for verifying")
        }
        keyID = jwk.word("kid")
        algorithm = jwk.word("alg")
        parameters = try PublicParameters(jwk)
        key = try parameters.makeKey()
    }

    /// The public part of a key of our own.
    init(publicPartOf key: EVPKey, parameters: PublicParameters, keyID: String, algorithm: SignatureAlgorithm) {
        self.keyID = keyID
        self.algorithm = algorithm.rawValue
        self.parameters = parameters
        self.key = key
    }

    /// The SHA-256 thumbprint, base64url (RFC 7638): the same for the same key, in whatever form it was written.
    package var thumbprint: String { parameters.thumbprint }

    /// Whether it may verify a signature of that algorithm: of its kind, and not meant for another one.
    package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        parameters.kind == algorithm.keyKind && self.algorithm.map { algorithm.isNamed(by: $0) } ?? true
    }
}

extension JSONWebKey: Hashable {
    /// Equal when name, algorithm and numbers are.
    package static func == (left: JSONWebKey, right: JSONWebKey) -> Bool {
        left.keyID == right.keyID && left.algorithm == right.algorithm && left.parameters == right.parameters
    }

    /// Feeds name and numbers to the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(keyID)
        hasher.combine(parameters)
    }
}

extension PublicParameters {
    /// The SHA-256 thumbprint of the required members, base64url (RFC 7638, section 3); none of their
    /// values needs escaping.
    var thumbprint: String {
        let members = members.map { "\"\($0.name)\":\"\($0.value)\"" }
        return Base64URL.encode(Digest.sha256(Array("{\(members.joined(separator: ","))}".utf8)))
    }
}
