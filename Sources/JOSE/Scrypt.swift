// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import CCrypto
package import Secrets

/// How a passphrase becomes a key: scrypt (RFC 7914) with its parameters, which are no secret.
///
/// Parameters may come out of a file that anybody wrote: they are bounded, so that none of them can take more than
/// 256 MiB or some seconds.
package struct Scrypt: Sendable, Hashable {
    /// What it costs (RFC 7914, section 2): memory is 128 · N · r bytes, time grows with N · r · p.
    package struct Cost: Sendable, Hashable {
        /// N: a power of two, above 1.
        package let iterations: Int
        /// r
        package let blockSize: Int
        /// p
        package let parallelism: Int

        /// Any numbers; `Scrypt` refuses those that are out of its bounds.
        package init(iterations: Int, blockSize: Int, parallelism: Int) {
            self.iterations = iterations
            self.blockSize = blockSize
            self.parallelism = parallelism
        }

        /// 128 MiB, and a third of a second on a desktop of 2020.
        package static let interactive = Cost(iterations: 1 << 17, blockSize: 8, parallelism: 1)
    }

    /// The most memory that a derivation may take, in bytes.
    package static let memoryLimit = 256 << 20
    /// The most that N · r · p may be: four times `Cost.interactive`.
    package static let workLimit = 1 << 22
    /// The longest salt that is accepted, in bytes.
    package static let saltLimit = 64

    package let cost: Cost
    package let salt: [UInt8]

    /// - Throws: `malformed` for parameters that are none, or out of bounds.
    package init(_ cost: Cost, salt: [UInt8]) throws(JOSEError) {
        let (n, r, p) = (cost.iterations, cost.blockSize, cost.parallelism)
        guard n > 1, n & (n - 1) == 0, r > 0, p > 0, salt.count <= Self.saltLimit else {
            throw JOSEError(.malformed, "the numbers of the key derivation are none of scrypt's")
        }
        guard n <= Self.workLimit, r <= Self.workLimit / n, p <= Self.workLimit / (n * r),
            128 * r * (n + p + 2) <= Self.memoryLimit + Self.memoryLimit / 64
        else {
            throw JOSEError(.malformed, "the key derivation would take more memory or time than is allowed")
        }
        self.cost = cost
        self.salt = salt
    }

    /// Derives `count` bytes. It takes as long as `cost` says: never call it where somebody waits.
    package func derive(from passphrase: Secret, count: Int = 32) throws(JOSEError) -> Secret {
        try Secret(capacity: count) { (output) throws(JOSEError) in
            let done = passphrase.withUnsafeBytes { text in
                EVP_PBE_scrypt(
                    text.baseAddress,
                    text.count,
                    salt,
                    salt.count,
                    UInt64(cost.iterations),
                    UInt64(cost.blockSize),
                    UInt64(cost.parallelism),
                    UInt64(Self.memoryLimit * 2),
                    output.baseAddress,
                    output.count
                )
            }
            guard done == 1 else { throw .library("the key cannot be derived: is there memory enough?") }
            return count
        }
    }
}
