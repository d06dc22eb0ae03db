// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto

/// Making and verifying signatures in the forms of RFC 7518, section 3 and RFC 8037, section 3.1.
extension EVPKey {
    /// Whether the signature over the message is this key's; the key must be of the algorithm's kind.
    func verifies(_ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        guard kind == algorithm.keyKind, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        defer { ERR_clear_error() }
        var form = signature
        if case .ec(let curve) = algorithm.keyKind {
            guard let der = ECDSASignature(raw: signature, curve: curve)?.der else { return false }
            form = der
        }
        var parameters: OpaquePointer?
        guard EVP_DigestVerifyInit(context, &parameters, algorithm.messageDigest, nil, pointer) == 1,
            algorithm.setPadding(parameters)
        else { return false }
        return EVP_DigestVerify(context, form, form.count, message, message.count) == 1
    }

    /// The signature over the message; the key must be a private one of the algorithm's kind.
    func sign(_ message: [UInt8], algorithm: SignatureAlgorithm) throws(JOSEError) -> [UInt8] {
        guard kind == algorithm.keyKind else {
            throw JOSEError(.keyMismatch, "the key is not one for the algorithm")
        }
        guard let context = EVP_MD_CTX_new() else { throw .library("libcrypto has no memory") }
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        var count = 0
        guard EVP_DigestSignInit(context, &parameters, algorithm.messageDigest, nil, pointer) == 1,
            algorithm.setPadding(parameters),
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { throw .library("the signature cannot be begun") }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw .library("the signature cannot be made")
        }
        signature.removeLast(signature.count - count)
        guard case .ec(let curve) = algorithm.keyKind else { return signature }
        guard let raw = ECDSASignature(der: signature, curve: curve)?.raw else {
            throw .library("the signature cannot be written down")
        }
        return raw
    }
}

extension SignatureAlgorithm {
    /// libcrypto's digest; nil for Ed25519, which has its own.
    fileprivate var messageDigest: OpaquePointer? {
        switch self {
        case .rs256, .ps256, .es256: EVP_sha256()
        case .rs384, .ps384, .es384: EVP_sha384()
        case .rs512, .ps512, .es512: EVP_sha512()
        case .eddsa, .ed25519: nil
        }
    }

    /// Sets PSS with MGF1 of the same digest and a salt as long as it (RFC 7518, section 3.5).
    fileprivate func setPadding(_ parameters: OpaquePointer?) -> Bool {
        switch self {
        case .ps256, .ps384, .ps512:
            EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
        default: true
        }
    }
}
