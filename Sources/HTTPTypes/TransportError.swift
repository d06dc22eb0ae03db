// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why an exchange ended without a complete answer.
package struct TransportError: Error, Sendable, Hashable {
    /// The step that failed.
    package enum Code: String, Sendable, Hashable {
        /// The host's name has no address, or no name server answered.
        case resolve
        /// No connection could be made.
        case connect
        /// The certificate or its host name was not accepted, or there was no common TLS version.
        case tls
        /// The timeout was reached.
        case timeout
        /// The connection broke before the answer was complete.
        case interrupted
        /// The answer exceeded the size limit.
        case tooLarge
        /// The answer's compression is unknown or broken.
        case encoding
        /// The answer was not HTTP.
        case protocolViolation
        /// The caller cancelled the exchange.
        case cancelled
        /// The proxy refused or could not be reached.
        case proxy
    }

    /// The step that failed.
    package let code: Code

    /// A sentence for users with the host and the reason, without secrets.
    package let message: String

    /// Whether the server may have seen the request: false only if it certainly has not, so that a single-use refresh
    /// token is certainly unspent.
    package let mayHaveBeenSent: Bool

    /// Whether an unusable answer came: it was not lost, and the same request would bring it again.
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
