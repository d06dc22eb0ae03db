// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The names of the client authentication methods (RFC 7591, section 2; `token_endpoint_auth_method`).
package enum ClientAuthenticationMethod: String, Sendable, Hashable, CaseIterable {
    /// None: a public client.
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// OpenID Connect Core, section 9.
    case privateKeyJWT = "private_key_jwt"

    /// Whether it sends a secret that the provider and the client share.
    package var usesSecret: Bool { self == .clientSecretBasic || self == .clientSecretPost }
}
