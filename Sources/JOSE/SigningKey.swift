// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import StrictJSON

/// A private key with the one algorithm that it signs with: for client assertions and proofs of
/// possession, and for the provider that the tests run.
///
/// The private part lives in libcrypto's memory and is wiped with it; it leaves only as a `Secret`. The
/// description names the public key.
package struct SigningKey: Sendable {
    /// What it signs with.
    package let algorithm: SignatureAlgorithm

    /// The public part, whose `kid` is `keyID`.
    package let publicKey: JSONWebKey

    /// How its signatures name it (`kid`): its thumbprint unless it was given another name.
    package let keyID: String

    let key: EVPKey

    /// Takes a private key over; throws if it is not one for the algorithm, or its two parts do not
    /// belong together.
    init(key: EVPKey, algorithm: SignatureAlgorithm, keyID: String?) throws(JOSEError) {
        guard key.kind == algorithm.keyKind else {
            throw JOSEError(.keyMismatch, "the key is not one for the algorithm")
        }
        let parameters = try PublicParameters(of: key)
        guard key.isConsistentPair else {
            throw JOSEError(.unusableKey, "the key has no private part, or one that belongs to another key")
        }
        self.key = key
        self.algorithm = algorithm
        self.keyID = keyID ?? parameters.thumbprint
        publicKey = JSONWebKey(
            publicPartOf: try parameters.makeKey(),
            parameters: parameters,
            keyID: self.keyID,
            algorithm: algorithm
        )
    }

    /// A new key from libcrypto's random numbers; RSA with 2048 bits.
    package static func generate(
        _ algorithm: SignatureAlgorithm,
        keyID: String? = nil
    ) throws(JOSEError) -> SigningKey {
        try SigningKey(key: try EVPKey.generate(algorithm.keyKind), algorithm: algorithm, keyID: keyID)
    }

    /// The public part as a provider or a registration publishes it (RFC 7517, section 4).
    package var publicJWK: JSONObject {
        var jwk = publicMembers
        jwk["kid"] = .string(keyID)
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        return jwk
    }

    /// The members that make up the public key and no others, as a proof of possession carries them
    /// (RFC 9449, section 4.2).
    package var publicMembers: JSONObject {
        JSONObject(publicKey.parameters.members.map { ($0.name, .string($0.value)) })
    }

    /// Signs and gives the compact form (RFC 7515, section 3.1).
    ///
    /// The header gets this key's `alg` first, whatever it says itself, and this key's `kid` unless it
    /// has one or carries the key (`jwk`). A member that is null is left out, `kid` too.
    package func sign(header: JSONObject = [:], payload: [UInt8]) throws(JOSEError) -> String {
        var complete: JSONObject = ["alg": .string(algorithm.rawValue)]
        for member in header where member.name != "alg" && !member.value.isNull {
            complete[member.name] = member.value
        }
        if header["kid"] == nil, header["jwk"] == nil {
            complete["kid"] = .string(keyID)
        }
        let protected = Base64URL.encode(JSONWriter.bytes(.object(complete)))
        let input = protected + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), algorithm: algorithm))
    }

    /// Signs claims (RFC 7519).
    package func sign(header: JSONObject = [:], claims: JSONObject) throws(JOSEError) -> String {
        try sign(header: header, payload: JSONWriter.bytes(.object(claims)))
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the public key's name.
    package var description: String { "\(algorithm.rawValue) key \(keyID)" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EVPKey {
    /// A new private key.
    static func generate(_ kind: KeyKind) throws(JOSEError) -> EVPKey {
        let type: StaticString =
            switch kind {
            case .rsa: "RSA"
            case .ec: "EC"
            case .ed25519: "ED25519"
            }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type.cString, nil) else {
            throw .library("libcrypto knows no \(type) keys")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1, configure(context, for: kind) else {
            throw .library("the key cannot be begun")
        }
        var key: OpaquePointer?
        guard EVP_PKEY_generate(context, &key) == 1, let key else { throw .library("the key cannot be made") }
        return EVPKey(owning: key)
    }

    private static func configure(_ context: OpaquePointer, for kind: KeyKind) -> Bool {
        switch kind {
        case .rsa: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1
        case .ec(let curve): EVP_PKEY_CTX_set_group_name(context, curve.groupName) == 1
        case .ed25519: true
        }
    }
}
