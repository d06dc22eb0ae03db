// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import Testing

@Suite struct SealingKeyTests {
    /// Test cases 13 and 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
    @Test(arguments: [
        (
            String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func `it seals and opens what the published cases say`(
        key: String,
        nonce: String,
        context: String,
        plain: String,
        sealed: String
    ) throws {
        let key = try SealingKey(Secret(bytes: bytes(key)))
        let plain = Secret(bytes: bytes(plain))
        #expect(try key.seal(plain, nonce: bytes(nonce), context: bytes(context)) == bytes(sealed))
        #expect(try key.open(bytes(sealed), nonce: bytes(nonce), context: bytes(context)) == plain)
    }

    private static let nonce = [UInt8](1...12)
    private static let context = Array("header".utf8)
    private static let plain = Secret("a refresh token")

    private func key(_ byte: UInt8 = 7) throws -> SealingKey {
        try SealingKey(Secret(bytes: Array(repeating: byte, count: 32)))
    }

    /// What opening it is refused with; nil where it opens.
    private func fault(
        _ sealed: [UInt8],
        by key: SealingKey,
        nonce: [UInt8] = nonce,
        context: [UInt8] = context
    ) -> JOSEError.Code? {
        do throws(JOSEError) {
            _ = try key.open(sealed, nonce: nonce, context: context)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a change of any bit is noticed`() throws {
        let key = try key()
        let sealed = try key.seal(Self.plain, nonce: Self.nonce, context: Self.context)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                #expect(fault(changed, by: key) == .wrongSeal)
            }
        }
    }

    @Test func `data that is cut off or longer is noticed`() throws {
        let key = try key()
        let sealed = try key.seal(Self.plain, nonce: Self.nonce, context: Self.context)
        for count in sealed.indices { #expect(fault(Array(sealed.prefix(count)), by: key) == .wrongSeal) }
        #expect(fault(sealed + [0], by: key) == .wrongSeal)
    }

    @Test func `another key, nonce or context does not open it`() throws {
        let key = try key()
        let sealed = try key.seal(Self.plain, nonce: Self.nonce, context: Self.context)
        #expect(fault(sealed, by: try self.key(8)) == .wrongSeal)
        #expect(fault(sealed, by: key, nonce: Self.nonce.reversed()) == .wrongSeal)
        #expect(fault(sealed, by: key, context: []) == .wrongSeal)
        #expect(fault(sealed, by: key) == nil)
    }

    @Test func `a key and a nonce have one length each`() throws {
        for count in [0, 16, 31, 33] {
            #expect(throws: JOSEError.self) { try SealingKey(Secret(bytes: Array(repeating: 1, count: count))) }
        }
        let key = try key()
        for count in [0, 11, 13] {
            #expect(throws: JOSEError.self) {
                try key.seal(Self.plain, nonce: Array(repeating: 1, count: count), context: [])
            }
        }
    }
}

private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
}
