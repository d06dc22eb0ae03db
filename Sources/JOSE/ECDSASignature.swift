// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto

/// An ECDSA signature in its two forms: JOSE writes R and S one after the other, each as long as the
/// curve's coordinates (RFC 7518, section 3.4); libcrypto wants the DER of RFC 3279, section 2.2.3.
struct ECDSASignature {
    /// R and S, most significant byte first, together twice the curve's length.
    let raw: [UInt8]
    let der: [UInt8]

    /// From JOSE's form; nil if it is not exactly as long as the curve wants.
    init?(raw: [UInt8], curve: EllipticCurve) {
        guard raw.count == 2 * curve.byteCount, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let r = raw.prefix(curve.byteCount).withUnsafeBytes { Self.number($0) }
        let s = raw.suffix(curve.byteCount).withUnsafeBytes { Self.number($0) }
        guard r != nil, s != nil, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &output)
        guard count > 0, let output else { return nil }
        defer { CRYPTO_free(output, #file, #line) }
        self.raw = raw
        der = Array(UnsafeBufferPointer(start: output, count: Int(count)))
    }

    /// From libcrypto's form; nil if it is not one or its numbers are too long for the curve.
    init?(der: [UInt8], curve: EllipticCurve) {
        let size = curve.byteCount
        var raw = [UInt8](repeating: 0, count: 2 * size)
        let done = der.withUnsafeBufferPointer { source in
            var input = source.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &input, source.count) else { return false }
            defer { ECDSA_SIG_free(signature) }
            return raw.withUnsafeMutableBufferPointer { target in
                guard let start = target.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, Int32(size)) == Int32(size)
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + size, Int32(size)) == Int32(size)
            }
        }
        guard done else { return nil }
        self.raw = raw
        self.der = der
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
        BN_bin2bn(bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count), nil)
    }
}
