// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import Secrets
import Testing

@Suite struct ScryptTests {
    /// RFC 7914, section 12; its fourth vector takes 1 GiB, which is out of our bounds.
    struct Vector: Sendable {
        let passphrase: String
        let salt: String
        let cost: Scrypt.Cost
        let output: String

        static let all = [
            Vector(
                passphrase: "",
                salt: "",
                cost: .init(iterations: 16, blockSize: 1, parallelism: 1),
                output: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
            ),
            Vector(
                passphrase: "password",
                salt: "NaCl",
                cost: .init(iterations: 1024, blockSize: 8, parallelism: 16),
                output: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
            ),
            Vector(
                passphrase: "pleaseletmein",
                salt: "SodiumChloride",
                cost: .init(iterations: 16_384, blockSize: 8, parallelism: 1),
                output: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
            ),
        ]
    }

    @Test(arguments: Vector.all) func `it derives what RFC 7914 says`(vector: Vector) throws {
        let scrypt = try Scrypt(vector.cost, salt: Array(vector.salt.utf8))
        let output = try scrypt.derive(from: Secret(vector.passphrase), count: 64)
        #expect(output.withUnsafeBytes { hexadecimal(Array($0)) } == vector.output)
    }

    @Test func `the salt and every number make another key`() throws {
        let base = Scrypt.Cost(iterations: 16, blockSize: 2, parallelism: 2)
        let keys = try [
            Scrypt(base, salt: [1]), Scrypt(base, salt: [2]),
            Scrypt(.init(iterations: 32, blockSize: 2, parallelism: 2), salt: [1]),
            Scrypt(.init(iterations: 16, blockSize: 1, parallelism: 2), salt: [1]),
            Scrypt(.init(iterations: 16, blockSize: 2, parallelism: 1), salt: [1]),
        ].map { try $0.derive(from: Secret("a")) }
        #expect(Set(keys).count == keys.count)
    }

    @Test(arguments: [
        Scrypt.Cost(iterations: 1 << 20, blockSize: 8, parallelism: 1),
        .init(iterations: 3, blockSize: 1, parallelism: 1),
        .init(iterations: 1, blockSize: 1, parallelism: 1), .init(iterations: 0, blockSize: 8, parallelism: 1),
        .init(iterations: -2, blockSize: 8, parallelism: 1), .init(iterations: .min, blockSize: 8, parallelism: 1),
        .init(iterations: 1 << 62, blockSize: 1, parallelism: 1), .init(iterations: 2, blockSize: 0, parallelism: 1),
        .init(iterations: 2, blockSize: .max, parallelism: 1), .init(iterations: 2, blockSize: 1, parallelism: .max),
        .init(iterations: 2, blockSize: 1 << 20, parallelism: 2),
        .init(iterations: 1 << 17, blockSize: 8, parallelism: 5),
    ])
    func `numbers that are none, or cost gigabytes or minutes, are refused`(cost: Scrypt.Cost) {
        #expect(throws: JOSEError.self) { try Scrypt(cost, salt: [1]) }
    }

    @Test func `the usual cost is within the bounds, and a salt has its own`() throws {
        _ = try Scrypt(.interactive, salt: Array(repeating: 1, count: Scrypt.saltLimit))
        #expect(throws: JOSEError.self) {
            try Scrypt(.interactive, salt: Array(repeating: 1, count: Scrypt.saltLimit + 1))
        }
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
