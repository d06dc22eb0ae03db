// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// Where an issuer's metadata is looked up, and how the results become one `ProviderMetadata` (OpenID Connect Discovery
/// 1.0, section 4; RFC 8414, section 3).
///
/// The caller fetches the OpenID candidates in their order until one exists, and the OAuth document beside them; either
/// may be missing.
package struct Discovery: Sendable, Hashable {
    /// The kind of document.
    package enum Document: Sendable, Hashable {
        /// `openid-configuration`
        case openID
        /// `oauth-authorization-server`
        case oauth
    }

    /// The issuer of the metadata.
    package let issuer: Issuer

    /// The OpenID document's URLs: appended to the issuer (Discovery, section 4.1), then inserted before its path (RFC
    /// 8414, section 5) if that is another URL.
    package let openIDURLs: [WebURL]

    /// The OAuth document's URL: inserted before the issuer's path (RFC 8414, section 3.1).
    package let oauthURL: WebURL

    /// The size limit of a document: the largest known one has 8 KiB.
    package static let sizeLimit = 256 * 1024

    /// Builds the URLs; a slash at the issuer's end is dropped first.
    package init(issuer: Issuer) throws(OAuthError) {
        let text = issuer.text
        let base = String(text.dropLast(issuer.url.path.count))
        let path = issuer.url.path.hasSuffix("/") ? String(issuer.url.path.dropLast()) : issuer.url.path
        let appended = base + path + "/.well-known/openid-configuration"
        let inserted = base + "/.well-known/openid-configuration" + path
        self.issuer = issuer
        openIDURLs = try (appended == inserted ? [appended] : [appended, inserted]).map(Self.url)
        oauthURL = try Self.url(base + "/.well-known/oauth-authorization-server" + path)
    }

    private static func url(_ text: String) throws(OAuthError) -> WebURL {
        do {
            return try WebURL(text)
        } catch {
            throw OAuthError(.invalidIssuer, "the issuer is no URL: \(error.message)", underlying: error)
        }
    }
}
