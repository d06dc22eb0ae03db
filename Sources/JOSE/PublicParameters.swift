// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
import StrictJSON

/// The public part of a key as bytes: what a JWK carries, and what its thumbprint is made of.
enum PublicParameters: Sendable, Hashable {
    /// Modulus and exponent, most significant byte first, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// A point, each coordinate as long as the curve wants.
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    /// 32 bytes.
    case ed25519([UInt8])

    /// Reads the members of a JWK (RFC 7518, section 6; RFC 8037, section 2).
    init(_ jwk: JSONObject) throws(JOSEError) {
        switch try jwk.requiredText("kty") {
        case "RSA":
            let modulus = try jwk.requiredBytes("n")
            let exponent = try jwk.requiredBytes("e")
            self = .rsa(modulus: Self.trimmed(modulus), exponent: Self.trimmed(exponent))
        case "EC":
            guard let curve = EllipticCurve(rawValue: try jwk.requiredText("crv")) else {
                throw JOSEError(.unusableKey, "the key's curve is not one that is used here")
            }
            let x = Self.padded(try jwk.requiredBytes("x"), to: curve.byteCount)
            self = .ec(curve, x: x, y: Self.padded(try jwk.requiredBytes("y"), to: curve.byteCount))
        case "OKP":
            guard try jwk.requiredText("crv") == "Ed25519" else {
                throw JOSEError(.unusableKey, "the key's curve is not one that is used here")
            }
            self = .ed25519(try jwk.requiredBytes("x"))
        default:
            throw JOSEError(.unusableKey, "the key's type is not one that is used here")
        }
        try checkSizes()
    }

    /// Reads them off a key.
    init(of key: EVPKey) throws(JOSEError) {
        switch key.kind {
        case .rsa:
            self = .rsa(modulus: try key.number("n"), exponent: try key.number("e"))
        case .ec(let curve):
            let x = try key.number("qx", minimumCount: curve.byteCount)
            self = .ec(curve, x: x, y: try key.number("qy", minimumCount: curve.byteCount))
        case .ed25519:
            self = .ed25519(try key.rawPublicBytes())
        case nil:
            throw JOSEError(.unusableKey, "the key's type is not one that is used here")
        }
        try checkSizes()
    }

    var kind: KeyKind {
        switch self {
        case .rsa: .rsa
        case .ec(let curve, _, _): .ec(curve)
        case .ed25519: .ed25519
        }
    }

    /// The members that RFC 7638, section 3.2 calls required, in the order of their names.
    var members: [(name: String, value: String)] {
        switch self {
        case .rsa(let modulus, let exponent):
            [("e", Base64URL.encode(exponent)), ("kty", "RSA"), ("n", Base64URL.encode(modulus))]
        case .ec(let curve, let x, let y):
            [("crv", curve.rawValue), ("kty", "EC"), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y))]
        case .ed25519(let x):
            [("crv", "Ed25519"), ("kty", "OKP"), ("x", Base64URL.encode(x))]
        }
    }

    /// The key that libcrypto verifies with; a point that is not on its curve is refused.
    func makeKey() throws(JOSEError) -> EVPKey {
        switch self {
        case .rsa(let modulus, let exponent):
            var builder = try KeyBuilder()
            try builder.add(OSSL_PKEY_PARAM_RSA_N, number: modulus)
            try builder.add(OSSL_PKEY_PARAM_RSA_E, number: exponent)
            return try builder.makeKey(type: "RSA", isPrivate: false)
        case .ec(let curve, let x, let y):
            var builder = try KeyBuilder()
            try builder.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.groupName)
            try builder.add(OSSL_PKEY_PARAM_PUB_KEY, bytes: [4] + x + y)
            return try builder.makeKey(type: "EC", isPrivate: false)
        case .ed25519(let x):
            guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, x, x.count) else {
                throw .library("the key's bytes do not make a key", code: .unusableKey)
            }
            return EVPKey(owning: key)
        }
    }

    /// RSA from 2048 bits (RFC 7518, section 3.3) to the 16384 that libcrypto verifies with, its exponent
    /// odd, more than 1 and of at most 64 bits; coordinates of exactly their curve's length
    /// (RFC 7518, section 6.2.1.2).
    private func checkSizes() throws(JOSEError) {
        let fits =
            switch self {
            case .rsa(let modulus, let exponent):
                (2048...16384).contains(Self.bitCount(modulus)) && exponent.count <= 8
                    && exponent != [1] && (exponent.last ?? 0) & 1 == 1 && (modulus.last ?? 0) & 1 == 1
            case .ec(let curve, let x, let y): x.count == curve.byteCount && y.count == curve.byteCount
            case .ed25519(let x): x.count == 32
            }
        guard fits else { throw JOSEError(.unusableKey, "the key is too short, too long or malformed") }
    }

    private static func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

    /// A coordinate without its leading zeros has lost nothing (RFC 7518, section 6.2.1.2, wants them).
    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        Array(repeating: 0, count: max(0, count - bytes.count)) + bytes
    }

    private static func bitCount(_ bytes: [UInt8]) -> Int {
        bytes.first.map { bytes.count * 8 - $0.leadingZeroBitCount } ?? 0
    }
}
