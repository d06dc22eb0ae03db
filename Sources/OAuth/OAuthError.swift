// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What stops an exchange with a provider before its answer can be used.
///
/// It says nothing about a grant: whether that is alive is what `TokenAnswer` tells.
package struct OAuthError: Error, Sendable {
    /// What programs branch on.
    package enum Code: String, Sendable, Hashable {
        /// The issuer's identifier breaks RFC 8414, section 2.
        case invalidIssuer
        /// A redirect URI breaks RFC 8252, section 7.
        case invalidRedirect
        /// A parameter, header or endpoint that the configuration names cannot be sent.
        case invalidRequest
        /// A document of the provider's breaks its specification: nothing of it is used.
        case invalidDocument
        /// The provider has no such document.
        case missingDocument
        /// The provider's metadata lacks an endpoint.
        case missingEndpoint
        /// The provider demands what is not built.
        case unsupported
        /// The provider refuses the access token that is shown to it.
        case tokenRejected
        /// The answer says nothing about the provider: an outage, a captive portal, a limit. It passes.
        case unavailable
    }

    /// What programs branch on.
    package let code: Code

    /// One sentence for a user, without secrets and safe to print.
    package let message: String

    /// What it came from, if anything.
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
