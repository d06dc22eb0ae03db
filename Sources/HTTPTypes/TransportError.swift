// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why an exchange ended without a whole answer.
package struct TransportError: Error, Sendable, Hashable {
    /// What went wrong, by the step at which it did.
    package enum Code: String, Sendable, Hashable {
        /// The host's name has no address, or no name server answered.
        case resolve
        /// No connection came about.
        case connect
        /// The certificate or the host's name in it was not accepted, or no common TLS version was found.
        case tls
        /// The time allowed was over.
        case timeout
        /// The connection broke before the answer was whole.
        case interrupted
        /// The answer was larger than what is read.
        case tooLarge
        /// The answer's compression is unknown or broken.
        case encoding
        /// What came was not HTTP.
        case protocolViolation
        /// The caller gave the exchange up.
        case cancelled
        /// The proxy refused or could not be reached.
        case proxy
    }

    /// The step at which it went wrong.
    package let code: Code

    /// A sentence for people with the host and the reason, and no secret.
    package let message: String

    /// Whether the server may have seen the request: false only when it certainly has not, so that a
    /// refresh token of one use certainly is unspent.
    package let mayHaveBeenSent: Bool

    /// Whether an answer came that is of no use: it was not lost on its way, and the same request would bring it again.
    package var isAnswered: Bool { code == .tooLarge || code == .encoding }

    /// An error as the transport saw it.
    package init(code: Code, message: String, mayHaveBeenSent: Bool) {
        self.code = code
        self.message = message
        self.mayHaveBeenSent = mayHaveBeenSent
    }
}

extension TransportError: CustomStringConvertible {
    /// The sentence.
    package var description: String { message }
}
