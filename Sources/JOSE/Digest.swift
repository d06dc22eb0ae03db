// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import Secrets

/// The SHA-2 digests that OAuth and JOSE use.
package enum Digest {
    /// SHA-256, 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { buffer in digest(buffer, EVP_sha256()) }
    }

    /// SHA-256 of a secret's bytes, such as a proof key's verifier (RFC 7636, section 4.2).
    package static func sha256(_ secret: Secret) -> [UInt8] {
        secret.withUnsafeBytes { buffer in digest(buffer, EVP_sha256()) }
    }

    /// SHA-384, 48 bytes.
    package static func sha384(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { buffer in digest(buffer, EVP_sha384()) }
    }

    /// SHA-512, 64 bytes.
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { buffer in digest(buffer, EVP_sha512()) }
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer, _ function: OpaquePointer?) -> [UInt8] {
        let result = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var size: UInt32 = 0
            let done = EVP_Digest(bytes.baseAddress, bytes.count, buffer.baseAddress, &size, function, nil)
            count = done == 1 ? Int(size) : 0
        }
        precondition(!result.isEmpty, "libcrypto has no SHA-2: the installation is broken")
        return result
    }
}
