// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import JOSE
import StrictJSON

/// A provider's published keys (RFC 7517, section 5).
package enum KeySetDocument {
    /// The size limit.
    package static let sizeLimit = 256 * 1024

    /// The least time between two fetches because of an unknown key (OpenID Connect Core, section 10.1.1).
    package static let refetchGap: Duration = .seconds(60)

    /// Reads the answer of a `jwks_uri`; unusable keys are skipped, not errors. `url` is its source.
    package static func read(_ response: HTTPResponse, from url: WebURL? = nil) throws(OAuthError) -> JSONWebKeySet {
        guard response.status == 200 else {
            let status = DocumentRedirect.status(of: response, from: url)
            throw OAuthError(.unavailable, "the provider's key set answered \(status)")
        }
        guard ProviderJSON.looksLikeObject(response.body) else {
            let type = JSONDocument.typeName(of: response)
            throw OAuthError(.unavailable, "the provider's key set came as \(type) instead of JSON")
        }
        let document = try JSONDocument.read(response, named: "key set", limit: sizeLimit)
        do {
            return try JSONWebKeySet(.object(document))
        } catch {
            throw OAuthError(.invalidDocument, error.message, underlying: error)
        }
    }
}
