// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import Secrets

/// Seals and opens data with AES-256-GCM (NIST SP 800-38D): without the key it cannot be read, or changed unnoticed.
package struct SealingKey: Sendable {
    /// The length of the key, in bytes.
    package static let keyCount = 32
    /// The length of a nonce, in bytes; fresh random ones may be used for 2³² sealings under one key.
    package static let nonceCount = 12
    /// How much longer sealed data is, in bytes: its tag, at its end.
    package static let tagCount = 16

    private let key: Secret

    /// - Throws: `unusableKey` where the key is not 32 bytes long.
    package init(_ key: Secret) throws(JOSEError) {
        guard key.count == Self.keyCount else { throw JOSEError(.unusableKey, "the key is not 32 bytes long") }
        self.key = key
    }

    /// - Parameters:
    ///   - nonce: 12 bytes, never the same ones for two sealings under one key.
    ///   - context: what lies beside the sealed data and must be the same when it is opened; it is not sealed itself.
    package func seal(_ plain: Secret, nonce: [UInt8], context: [UInt8]) throws(JOSEError) -> [UInt8] {
        try begin(nonce, isSealing: true) { (cipher) throws(JOSEError) in
            var sealed = [UInt8](repeating: 0, count: plain.count + Self.tagCount)
            let isSealed =
                Self.add(context, to: cipher)
                && sealed.withUnsafeMutableBytes { output in
                    let isDone = plain.withUnsafeBytes { Self.finish(cipher, $0, into: output) }
                    let tag = UnsafeMutableRawBufferPointer(rebasing: output.suffix(Self.tagCount))
                    return isDone
                        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
                }
            guard isSealed else { throw .library("the data cannot be sealed") }
            return sealed
        }
    }

    /// - Throws: `wrongSeal` where the data was sealed with another key, nonce or context, or has been changed.
    package func open(_ sealed: [UInt8], nonce: [UInt8], context: [UInt8]) throws(JOSEError) -> Secret {
        guard sealed.count >= Self.tagCount else { throw .wrongSeal }
        var tag = Array(sealed.suffix(Self.tagCount))
        return try begin(nonce, isSealing: false) { (cipher) throws(JOSEError) in
            guard EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
                throw .library("the seal cannot be set")
            }
            let count = sealed.count - Self.tagCount
            return try Secret(capacity: count) { (output) throws(JOSEError) in
                let isOpen =
                    Self.add(context, to: cipher)
                    && sealed.withUnsafeBytes { input in
                        Self.finish(cipher, UnsafeRawBufferPointer(rebasing: input.prefix(count)), into: output)
                    }
                ERR_clear_error()
                guard isOpen else { throw .wrongSeal }
                return count
            }
        }
    }

    private func begin<Value>(
        _ nonce: [UInt8],
        isSealing: Bool,
        _ body: (OpaquePointer) throws(JOSEError) -> Value
    ) throws(JOSEError) -> Value {
        guard nonce.count == Self.nonceCount else { throw JOSEError(.malformed, "the nonce is not 12 bytes long") }
        guard let cipher = EVP_CIPHER_CTX_new() else { throw .library("libcrypto has no memory") }
        defer { EVP_CIPHER_CTX_free(cipher) }
        let begun = key.withUnsafeBytes { key in
            let bytes = key.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return EVP_CipherInit_ex2(cipher, EVP_aes_256_gcm(), bytes, nonce, isSealing ? 1 : 0, nil)
        }
        guard begun == 1 else { throw .library("AES-256-GCM cannot be begun") }
        return try body(cipher)
    }

    private static func add(_ context: [UInt8], to cipher: OpaquePointer) -> Bool {
        var count: Int32 = 0
        return EVP_CipherUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
    }

    private static func finish(
        _ cipher: OpaquePointer,
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let size = Int32(exactly: input.count) else { return false }
        let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let target = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count: Int32 = 0
        if size > 0 {
            guard EVP_CipherUpdate(cipher, target, &count, source, size) == 1, count == size else { return false }
        }
        // GCM has nothing left to write here; the tag is checked.
        var rest = [UInt8](repeating: 0, count: 16)
        return EVP_CipherFinal_ex(cipher, &rest, &count) == 1 && count == 0
    }
}

extension JOSEError {
    /// One error for every way in which a seal does not hold.
    fileprivate static var wrongSeal: JOSEError {
        JOSEError(.wrongSeal, "the data is not sealed with this key, or has been changed")
    }
}
