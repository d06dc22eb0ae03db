// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An error that ends an exchange with a provider before its answer can be used.
///
/// It says nothing about a grant: `TokenAnswer` tells whether that is still valid.
package struct OAuthError: Error, Sendable {
    /// The kind of error.
    package enum Code: String, Sendable, Hashable {
        /// The issuer's identifier breaks RFC 8414, section 2.
        case invalidIssuer
        /// A redirect URI breaks RFC 8252, section 7.
        case invalidRedirect
        /// A configured parameter, header or endpoint cannot be sent.
        case invalidRequest
        /// A document of the provider breaks its specification: it is not used.
        case invalidDocument
        /// The provider has no such document.
        case missingDocument
        /// The provider's metadata lacks an endpoint.
        case missingEndpoint
        /// The provider requires an unsupported feature.
        case unsupported
        /// The provider refuses the access token that was sent to it.
        case tokenRejected
        /// The answer says nothing about the provider: an outage, a captive portal, a limit. It passes.
        case unavailable
    }

    /// The kind of error.
    package let code: Code

    /// One sentence for a user, without secrets and safe to print.
    package let message: String

    /// Its cause, if there is one.
    package let underlying: (any Error & Sendable)?

    /// An error with a sentence for a user.
    package init(_ code: Code, _ message: String, underlying: (any Error & Sendable)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension OAuthError: CustomStringConvertible {
    /// The sentence.
    package var description: String { message }
}
