// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import StrictJSON

extension Discovery {
    /// The content of an answer to a metadata request.
    private enum Finding {
        case document(JSONObject)
        /// The server has none there (404, 410, or a page instead of JSON).
        case absent(String)
        /// A page instead of JSON: this server's, or one of the network that is asked for a sign-in.
        case page(String)
    }

    /// Whether this answer holds a document, so that no further candidate is needed.
    package static func isDocument(_ response: HTTPResponse) -> Bool {
        response.status == 200 && ProviderJSON.looksLikeObject(response.body)
    }

    /// Merges the two documents: the OpenID one has priority, the OAuth one fills in what it lacks.
    ///
    /// An invalid OpenID document is an error. An invalid OAuth one is an error only without an OpenID one; otherwise
    /// it is ignored with a note.
    package func metadata(openID: HTTPResponse?, oauth: HTTPResponse?) throws(OAuthError) -> ProviderMetadata {
        let openIDFinding = try openID.map { response throws(OAuthError) in try find(response) }
        let oauthFinding: Finding?
        var notes: [String] = []
        switch (openIDFinding, oauth) {
        case (_, nil):
            oauthFinding = nil
        case (.document, .some(let response)):
            do {
                oauthFinding = try find(response)
            } catch {
                oauthFinding = nil
                notes.append("the RFC 8414 document is left out: \(error.message)")
            }
        case (_, .some(let response)):
            oauthFinding = try find(response)
        }
        var metadata = try merge(openIDFinding, oauthFinding)
        metadata.notes += notes
        return metadata
    }

    private func merge(_ openID: Finding?, _ oauth: Finding?) throws(OAuthError) -> ProviderMetadata {
        switch (openID, oauth) {
        case (.document(let first), .document(let second)):
            return try ProviderMetadata(document: first.filled(from: second), issuer: issuer)
        case (.document(let only), _), (_, .document(let only)):
            return try ProviderMetadata(document: only, issuer: issuer)
        case (.page(let reason), .page):
            throw OAuthError(
                .unavailable,
                "\(issuer.url.origin) answers with \(reason): it is no issuer, or the network asks for a sign-in first"
            )
        default:
            let reasons = [openID, oauth].compactMap { finding -> String? in
                switch finding {
                case .absent(let reason), .page(let reason): reason
                case .document, nil: nil
                }
            }
            let reason = reasons.first.map { " (\($0))" } ?? ""
            throw OAuthError(
                .missingDocument,
                "\(issuer.url.origin) has no metadata for this issuer\(reason)\(issuer.federationHint)"
            )
        }
    }

    /// Checks one answer by itself (RFC 8414, sections 3.2 and 3.3): status, size, JSON, the exact issuer.
    private func find(_ response: HTTPResponse) throws(OAuthError) -> Finding {
        switch response.status {
        case 200:
            break
        case 408, 425, 429, 500...599:
            throw OAuthError(.unavailable, "\(issuer.url.origin) answered with HTTP \(response.status)")
        default:
            return .absent(DocumentRedirect.status(of: response, from: issuer.url))
        }
        guard ProviderJSON.looksLikeObject(response.body) else {
            return .page("\(JSONDocument.typeName(of: response)) instead of JSON")
        }
        let document = try JSONDocument.read(response, named: "metadata", limit: Self.sizeLimit)
        try checkIssuer(document["issuer"])
        return .document(document)
    }

    /// The issuer must be the configured one, byte for byte (RFC 8414, section 3.3; Discovery, section 4.3).
    private func checkIssuer(_ value: JSONValue?) throws(OAuthError) {
        guard let named = value?.string else {
            throw OAuthError(.invalidDocument, "the provider's metadata names no issuer")
        }
        guard !issuer.isNamedInMetadata(named) else { return }
        let shown = DisplayText.sanitized(named)
        if named.contains("{") {
            throw OAuthError(
                .invalidDocument,
                "the provider's metadata names a template (\(shown)) as issuer: use a preset that knows it, "
                    + "or the issuer of one tenant"
            )
        }
        let hint = named == issuer.text + "/" || named + "/" == issuer.text ? " (mind the slash at the end)" : ""
        throw OAuthError(
            .invalidDocument,
            "the metadata is that of another issuer: configured is \(issuer.expectedInMetadata), "
                + "found was “\(shown)”\(hint)"
        )
    }
}

extension JSONObject {
    /// This object with the other's members where it lacks them or has an empty one.
    fileprivate func filled(from other: JSONObject) -> JSONObject {
        var result = self
        for member in other where result[member.name].map({ $0.isNull || $0 == "" }) ?? true {
            result[member.name] = member.value
        }
        return result
    }
}
