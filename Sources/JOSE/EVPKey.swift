// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto

/// Owns one libcrypto key, public or with its private part.
///
/// Unchecked because a pointer is not `Sendable`; sound because nothing changes the key after it is
/// made, and libcrypto lets several threads use a key that nobody changes.
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the key over and frees it at the end.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// What kind of key it is; nil if it is of none that is used here.
    var kind: KeyKind? {
        if EVP_PKEY_is_a(pointer, "RSA") == 1 {
            return .rsa
        }
        if EVP_PKEY_is_a(pointer, "ED25519") == 1 {
            return .ed25519
        }
        guard EVP_PKEY_is_a(pointer, "EC") == 1 else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1 else { return nil }
        let group = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return EllipticCurve.allCases.first { $0.groupName == group }.map(KeyKind.ec)
    }

    /// Whether the private part belongs to the public one.
    var isConsistentPair: Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        defer { ERR_clear_error() }
        return EVP_PKEY_pairwise_check(context) == 1
    }

    /// A number of the key as bytes, most significant first, at least `minimumCount` of them.
    func number(_ name: String, minimumCount: Int = 1) throws(JOSEError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else {
            throw .library("a key's number cannot be read")
        }
        defer { BN_clear_free(number) }
        let count = max(minimumCount, Int(BN_num_bits(number) + 7) / 8)
        var bytes = [UInt8](repeating: 0, count: count)
        guard BN_bn2binpad(number, &bytes, Int32(count)) == Int32(count) else {
            throw .library("a key's number cannot be read")
        }
        return bytes
    }

    /// The 32 bytes of an Ed25519 key's public part.
    func rawPublicBytes() throws(JOSEError) -> [UInt8] {
        var count = 32
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == 32 else {
            throw .library("a key's bytes cannot be read")
        }
        return bytes
    }

    /// The 32 bytes of an Ed25519 key's private part.
    func rawPrivateBytes() throws(JOSEError) -> [UInt8] {
        var count = 32
        var bytes = [UInt8](repeating: 0, count: count)
        guard EVP_PKEY_get_raw_private_key(pointer, &bytes, &count) == 1, count == 32 else {
            throw .library("a key's bytes cannot be read")
        }
        return bytes
    }
}

extension JOSEError {
    /// An error of libcrypto with its own words, taken from this thread's queue, which is empty afterwards.
    static func library(_ message: String, code: Code = .library) -> JOSEError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        guard number != 0 else { return JOSEError(code, message) }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(number, &text, text.count)
        let words = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return JOSEError(code, message, underlying: words)
    }
}
