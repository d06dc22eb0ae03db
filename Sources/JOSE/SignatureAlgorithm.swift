// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The signature algorithms that are verified and made (RFC 7518, section 3.1; RFC 8037; RFC 9864).
///
/// `none` and the symmetric `HS…` are not among them and cannot be asked for.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519 under its first name (RFC 8037, section 3.1).
    case eddsa = "EdDSA"
    /// Ed25519 under its own name (RFC 9864, section 2.2).
    case ed25519 = "Ed25519"

    /// The digest of the signature, which an ID token's `at_hash` takes too; SHA-512 for Ed25519
    /// (OpenID Connect Core, section 3.1.3.6).
    package func digest(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .rs256, .ps256, .es256: Digest.sha256(bytes)
        case .rs384, .ps384, .es384: Digest.sha384(bytes)
        case .rs512, .ps512, .es512, .eddsa, .ed25519: Digest.sha512(bytes)
        }
    }

    /// The one kind of key that it works with.
    var keyKind: KeyKind {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256: .ec(.p256)
        case .es384: .ec(.p384)
        case .es512: .ec(.p521)
        case .eddsa, .ed25519: .ed25519
        }
    }

    /// Whether a key whose `alg` is this text is meant for it; both names of Ed25519 are the same.
    func isNamed(by text: String) -> Bool {
        text == rawValue || keyKind == .ed25519 && SignatureAlgorithm(rawValue: text)?.keyKind == .ed25519
    }
}

/// The kinds of keys that are usable here.
enum KeyKind: Sendable, Hashable {
    case rsa
    case ec(EllipticCurve)
    case ed25519
}

/// The curves of RFC 7518, section 6.2.1.1, by their names there.
enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The length of a coordinate, and of each half of a signature, in bytes.
    var byteCount: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    /// libcrypto's name of it.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        }
    }
}
