// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import Secrets
import StrictJSON

/// Private keys as JSON Web Keys (RFC 7517; RFC 7518, section 6; RFC 8037, section 2).
extension SigningKey {
    /// Reads a private JWK. Its own `alg` and `kid` count unless others are given; RSA keys must carry
    /// their primes (RFC 7518, section 6.3.2) and have two of them.
    package init(
        jwk: Secret,
        algorithm: SignatureAlgorithm? = nil,
        keyID: String? = nil
    ) throws(JOSEError) {
        guard let object = try? jwk.withUnsafeBytes({ try JSONReader().read($0) }).object else {
            throw JOSEError(.malformed, "the key is not a JSON object")
        }
        let parameters = try PublicParameters(object)
        let named = try object.optionalText("alg").flatMap(SignatureAlgorithm.init(rawValue:))
        let ownID = try object.optionalText("kid")
        try self.init(
            key: try parameters.makePrivateKey(object),
            algorithm: algorithm ?? named ?? parameters.kind.usualAlgorithm,
            keyID: keyID ?? ownID
        )
    }

    /// The private key as a JWK with `kid` and `alg`.
    package func exportJWK() throws(JOSEError) -> Secret {
        var jwk = publicJWK
        switch publicKey.parameters {
        case .rsa:
            for (member, name) in PublicParameters.privateNumbers {
                jwk[member] = .string(Base64URL.encode(try key.number(name)))
            }
        case .ec(let curve, _, _):
            let number = try key.number(OSSL_PKEY_PARAM_PRIV_KEY, minimumCount: curve.byteCount)
            jwk["d"] = .string(Base64URL.encode(number))
        case .ed25519:
            jwk["d"] = .string(Base64URL.encode(try key.rawPrivateBytes()))
        }
        return Secret(bytes: JSONWriter.bytes(.object(jwk)))
    }
}

extension PublicParameters {
    /// The private members of an RSA key and libcrypto's names for them.
    static var privateNumbers: [(member: String, name: String)] {
        [
            ("d", OSSL_PKEY_PARAM_RSA_D),
            ("p", OSSL_PKEY_PARAM_RSA_FACTOR + "1"),
            ("q", OSSL_PKEY_PARAM_RSA_FACTOR + "2"),
            ("dp", OSSL_PKEY_PARAM_RSA_EXPONENT + "1"),
            ("dq", OSSL_PKEY_PARAM_RSA_EXPONENT + "2"),
            ("qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT + "1"),
        ]
    }

    /// The key with the private members of the JWK that these parameters came from.
    func makePrivateKey(_ jwk: JSONObject) throws(JOSEError) -> EVPKey {
        switch self {
        case .rsa(let modulus, let exponent):
            guard jwk["oth"] == nil else { throw JOSEError(.unusableKey, "the key has more than two primes") }
            var builder = try KeyBuilder()
            try builder.add(OSSL_PKEY_PARAM_RSA_N, number: modulus)
            try builder.add(OSSL_PKEY_PARAM_RSA_E, number: exponent)
            for (member, name) in Self.privateNumbers {
                try builder.add(name, number: try jwk.requiredBytes(member))
            }
            return try builder.makeKey(type: "RSA", isPrivate: true)
        case .ec(let curve, let x, let y):
            var builder = try KeyBuilder()
            try builder.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
            try builder.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
            try builder.add(OSSL_PKEY_PARAM_PRIV_KEY, number: try jwk.requiredBytes("d"))
            return try builder.makeKey(type: "EC", isPrivate: true)
        case .ed25519(let x):
            let bytes = try jwk.requiredBytes("d")
            guard bytes.count == 32, let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes, 32) else {
                throw .library("the key's bytes do not make a key", code: .unusableKey)
            }
            let owner = EVPKey(owning: key)
            guard try owner.rawPublicBytes() == x else {
                throw JOSEError(.unusableKey, "the key's two parts do not belong together")
            }
            return owner
        }
    }
}
