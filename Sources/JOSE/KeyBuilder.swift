// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
import Glibc

/// Collects a key's numbers for libcrypto and makes the key; owns them until then and wipes them.
///
/// libcrypto's builder keeps pointers to names and values and copies them only at the end, hence the
/// copies here.
struct KeyBuilder: ~Copyable {
    private let builder: OpaquePointer
    private var numbers: [OpaquePointer] = []
    private var octets: [UnsafeMutableRawBufferPointer] = []
    private var texts: [UnsafeMutablePointer<CChar>] = []

    init() throws(JOSEError) {
        guard let builder = OSSL_PARAM_BLD_new() else { throw .library("libcrypto has no memory") }
        self.builder = builder
    }

    deinit {
        OSSL_PARAM_BLD_free(builder)
        numbers.forEach { BN_clear_free($0) }
        octets.forEach { $0.deallocate() }
        texts.forEach { free($0) }
    }

    /// Adds a number, given most significant byte first. It is marked secure, whatever it is, so that
    /// libcrypto wipes its own copies.
    mutating func add(_ name: String, number bytes: [UInt8]) throws(JOSEError) {
        guard let number = BN_secure_new() else { throw .library("libcrypto has no memory") }
        let name = try keep(name)
        numbers.append(number)
        guard BN_bin2bn(bytes, Int32(bytes.count), number) != nil,
            OSSL_PARAM_BLD_push_BN(builder, name, number) == 1
        else { throw .library("a key's number is not accepted", code: .unusableKey) }
    }

    /// Adds a text such as a curve's name.
    mutating func add(_ name: String, text: String) throws(JOSEError) {
        guard OSSL_PARAM_BLD_push_utf8_string(builder, try keep(name), try keep(text), 0) == 1 else {
            throw .library("a key's parameter is not accepted")
        }
    }

    /// Adds bytes such as an encoded point.
    mutating func add(_ name: String, bytes: [UInt8]) throws(JOSEError) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        octets.append(copy)
        guard OSSL_PARAM_BLD_push_octet_string(builder, try keep(name), copy.baseAddress, copy.count) == 1 else {
            throw .library("a key's parameter is not accepted")
        }
    }

    private mutating func keep(_ text: String) throws(JOSEError) -> UnsafePointer<CChar> {
        guard let copy = strdup(text) else { throw JOSEError(.library, "there is no memory") }
        texts.append(copy)
        return UnsafePointer(copy)
    }

    /// Makes the key; libcrypto refuses a point that is not on its curve.
    consuming func makeKey(type: StaticString, isPrivate: Bool) throws(JOSEError) -> EVPKey {
        guard let parameters = OSSL_PARAM_BLD_to_param(builder) else {
            throw .library("a key cannot be put together")
        }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type.cString, nil) else {
            throw .library("libcrypto knows no \(type) keys")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let selection = isPrivate ? tokend_crypto_keypair_selection() : tokend_crypto_public_selection()
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, selection, parameters) == 1, let key
        else { throw .library("the key's numbers do not make a key", code: .unusableKey) }
        return EVPKey(owning: key)
    }
}

extension StaticString {
    /// The text as C wants it, valid for ever: for the calls of libcrypto that keep the pointer.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
