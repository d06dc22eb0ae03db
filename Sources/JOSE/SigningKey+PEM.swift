// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import Secrets

/// Private keys as PEM files.
extension SigningKey {
    /// Reads an unencrypted private key: PKCS #8, or the older forms that libcrypto knows.
    ///
    /// Without an algorithm it is the key's usual one: RS256, ES256, ES384 or ES512 by its curve, EdDSA.
    package init(
        pem: Secret,
        algorithm: SignatureAlgorithm? = nil,
        keyID: String? = nil
    ) throws(JOSEError) {
        let key = try EVPKey(pem: pem)
        guard let usual = key.kind?.usualAlgorithm else {
            throw JOSEError(.unusableKey, "the key's type is not one that is used here")
        }
        try self.init(key: key, algorithm: algorithm ?? usual, keyID: keyID)
    }

    fileprivate static let pem: StaticString = "PEM"
    private static let pkcs8: StaticString = "PrivateKeyInfo"

    /// The private key as unencrypted PKCS #8 in PEM.
    package func exportPEM() throws(JOSEError) -> Secret {
        guard
            let context = OSSL_ENCODER_CTX_new_for_pkey(
                key.pointer,
                tokend_crypto_keypair_selection(),
                Self.pem.cString,
                Self.pkcs8.cString,
                nil
            )
        else { throw .library("the key cannot be written down") }
        defer { OSSL_ENCODER_CTX_free(context) }
        var output: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard OSSL_ENCODER_to_data(context, &output, &count) == 1, let output else {
            throw .library("the key cannot be written down")
        }
        defer { CRYPTO_clear_free(output, count, #file, #line) }
        return Secret(capacity: count) { buffer in
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: output, count: count))
            return count
        }
    }
}

extension EVPKey {
    /// Reads a private key. A passphrase is never asked for: an encrypted key is refused.
    convenience init(pem: Secret) throws(JOSEError) {
        var key: OpaquePointer?
        guard
            let context = OSSL_DECODER_CTX_new_for_pkey(
                &key,
                SigningKey.pem.cString,
                nil,
                nil,
                tokend_crypto_keypair_selection(),
                nil,
                nil
            )
        else { throw .library("the key cannot be read") }
        defer { OSSL_DECODER_CTX_free(context) }
        let done = pem.withUnsafeBytes { bytes in
            var input = bytes.bindMemory(to: UInt8.self).baseAddress
            var count = bytes.count
            return OSSL_DECODER_from_data(context, &input, &count)
        }
        guard done == 1, let key else {
            throw .library("the text is not an unencrypted private key in PEM", code: .malformed)
        }
        ERR_clear_error()
        self.init(owning: key)
    }
}

extension KeyKind {
    /// What a key of the kind signs with unless something else is asked for.
    var usualAlgorithm: SignatureAlgorithm {
        switch self {
        case .rsa: .rs256
        case .ec(.p256): .es256
        case .ec(.p384): .es384
        case .ec(.p521): .es512
        case .ed25519: .eddsa
        }
    }
}
