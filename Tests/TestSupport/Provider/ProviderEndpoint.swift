// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What a request to the provider is for.
package enum ProviderEndpoint: String, Sendable, CaseIterable {
    /// `/.well-known/openid-configuration`, behind the issuer's path.
    case openIDConfiguration
    /// `/.well-known/oauth-authorization-server`, before the issuer's path (RFC 8414, section 3.1).
    case oauthMetadata
    case jwks
    case authorize
    /// Where the sign-in form is posted to.
    case signIn
    case token
    /// Where device logins begin (RFC 8628).
    case deviceAuthorization
    /// Where the user enters the code of one.
    case device
    case revocation
    case userinfo
    /// Where authorization requests are pushed to (RFC 9126).
    case pushedAuthorization
    /// Signs the browser out (OpenID Connect RP-Initiated Logout).
    case endSession
    /// Where clients register themselves (RFC 7591).
    case registration
    /// Anything else; answered with 404.
    case other
}
