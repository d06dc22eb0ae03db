// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why a key, a key set, a signature or a seal is not accepted, or could not be made.
package struct JOSEError: Error, Sendable, Hashable {
    /// What is wrong.
    package enum Code: String, Sendable, Hashable {
        /// The text is not a compact signature, a key or a key set of the right form.
        case malformed
        /// The header names extensions that must be understood (RFC 7515, section 4.1.11).
        case criticalExtension
        /// The header's algorithm is none of ours (`none`, `HS256`) or not among the allowed ones.
        case algorithmNotAllowed
        /// No key in the set has the header's `kid`, or fits its algorithm: the set may be out of date.
        case unknownKey
        /// A key with the header's `kid` is there, but not one for its algorithm.
        case keyMismatch
        /// The signature is not the key's.
        case badSignature
        /// The key is of a kind, size or use that is not usable here.
        case unusableKey
        /// Sealed data is not this key's, or has been changed.
        case wrongSeal
        /// libcrypto failed at something that should work.
        case library
    }

    /// What is wrong; callers decide by it.
    package let code: Code

    /// A sentence for people, without key material.
    package let message: String

    /// What libcrypto said, if it was asked.
    package let underlying: String?

    init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension JOSEError: CustomStringConvertible {
    /// The sentence, and what libcrypto said.
    package var description: String { underlying.map { "\(message) (\($0))" } ?? message }
}
