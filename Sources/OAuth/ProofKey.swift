// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
package import Secrets

/// The proof key for code exchange of one login attempt (RFC 7636): always S256, never `plain`.
package struct ProofKey: Sendable, Hashable {
    /// The secret, sent with the code to the token endpoint and nowhere else.
    package let verifier: Secret

    /// `BASE64URL(SHA256(verifier))`, sent with the authorization request.
    package let challenge: String

    /// The only method in use (RFC 7636, section 4.2).
    package static let method = "S256"

    /// The entropy of a verifier in octets (section 7.1).
    package static let entropyLength = 32

    /// Makes the key from octets of a cryptographic generator, used for this attempt alone.
    ///
    /// Fewer than 32 octets are a programmer's error.
    package init(entropy: [UInt8]) {
        precondition(entropy.count >= Self.entropyLength, "a proof key needs 32 octets of entropy")
        self.init(verifier: Base64URL.encode(entropy))
    }

    /// Takes a given verifier, as in the RFC's examples.
    init(verifier: String) {
        self.verifier = Secret(verifier)
        challenge = Base64URL.encode(Digest.sha256(Array(verifier.utf8)))
    }
}

/// Text that cannot be guessed: the `state` and the `nonce` of a login attempt.
package enum UnguessableText {
    /// The minimum of RFC 8252 (section 8.9) and OpenID Connect Core: 128 bits.
    package static let entropyLength = 16

    /// Makes the text from octets of a cryptographic generator, used for this purpose alone.
    ///
    /// Fewer than 16 octets are a programmer's error.
    package static func make(entropy: [UInt8]) -> String {
        precondition(entropy.count >= Self.entropyLength, "state and nonce need 16 octets of entropy")
        return Base64URL.encode(entropy)
    }
}
