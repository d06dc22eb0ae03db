// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import StrictJSON

extension ProviderMetadata {
    /// Reads a document. Unknown and null members are ignored; one of the wrong type counts as absent, and an invalid
    /// endpoint is an error only when it is needed (DISC-6).
    ///
    /// - Parameter issuer: its issuer, as checked by `Discovery`; nil if it was not fetched from one.
    package init(document: JSONObject, issuer: Issuer? = nil) throws(OAuthError) {
        self.init()
        var reader = MemberReader(document: document)
        self.issuer = try reader.issuer()
        for (name, place) in Self.places {
            do throws(OAuthError) {
                self[keyPath: place] = try reader.endpoint(name, of: issuer)
            } catch {
                unusable[name] = error.message
            }
        }
        scopesSupported = Scope(reader.strings("scopes_supported") ?? [])
        grantTypes = reader.strings("grant_types_supported") ?? grantTypes
        tokenEndpointAuthenticationMethods =
            reader.strings("token_endpoint_auth_methods_supported") ?? tokenEndpointAuthenticationMethods
        codeChallengeMethods = reader.strings("code_challenge_methods_supported") ?? []
        idTokenSigningAlgorithms =
            reader.strings("id_token_signing_alg_values_supported") ?? idTokenSigningAlgorithms
        sendsIssuerInResponse = reader.flag("authorization_response_iss_parameter_supported")
        requiresPushedRequests = reader.flag("require_pushed_authorization_requests")
        requiresSignedRequests = reader.flag("require_signed_request_object")
        accessTokenIssuer = document["access_token_issuer"]?.string
        notes = unusable.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } + reader.notes
        if !advertisesProofKey {
            notes.append("PKCE not advertised: S256 is sent all the same")
        }
    }

    /// Every endpoint with its member's name.
    private static let places: [(String, any WritableKeyPath<ProviderMetadata, WebURL?> & Sendable)] = [
        ("authorization_endpoint", \.authorizationEndpoint),
        ("token_endpoint", \.tokenEndpoint),
        ("revocation_endpoint", \.revocationEndpoint),
        ("introspection_endpoint", \.introspectionEndpoint),
        ("userinfo_endpoint", \.userInfoEndpoint),
        ("jwks_uri", \.keySetURL),
        ("end_session_endpoint", \.endSessionEndpoint),
        ("registration_endpoint", \.registrationEndpoint),
        ("device_authorization_endpoint", \.deviceAuthorizationEndpoint),
        ("pushed_authorization_request_endpoint", \.pushedAuthorizationRequestEndpoint),
    ]
}

/// Reads members of a metadata document by type.
private struct MemberReader {
    let document: JSONObject
    var notes: [String] = []

    /// The issuer is essential for security: it must be a string or absent.
    func issuer() throws(OAuthError) -> String? {
        guard let value = present("issuer") else { return nil }
        guard let text = value.string else {
            throw OAuthError(
                .invalidDocument,
                "the provider's metadata: issuer is \(value.kindName), not a string"
            )
        }
        return text
    }

    /// A boolean, or its text.
    mutating func flag(_ name: String) -> Bool {
        switch present(name) {
        case nil: return false
        case .bool(let flag)?: return flag
        case .string("true")?: return true
        case .string("false")?: return false
        case let value?:
            notes.append("\(name) is \(value.kindName), not a boolean")
            return false
        }
    }

    /// A list of strings, or one string with spaces between.
    mutating func strings(_ name: String) -> [String]? {
        guard let value = present(name) else { return nil }
        if let text = value.string { return text.split(separator: " ").map(String.init) }
        guard let elements = value.array else {
            notes.append("\(name) is \(value.kindName), not a list")
            return nil
        }
        let texts = elements.compactMap(\.string)
        if texts.count < elements.count { notes.append("\(name) holds more than strings") }
        return texts
    }

    /// An endpoint is `https` (or loopback), has no fragment (RFC 6749, sections 3.1 and 3.2), and is not on this
    /// machine unless its provider is: otherwise requests would go to a local program, in plain text if that listens
    /// first. An empty one counts as absent.
    func endpoint(_ name: String, of issuer: Issuer?) throws(OAuthError) -> WebURL? {
        guard let value = present(name), value != "" else { return nil }
        guard let text = value.string else {
            throw OAuthError(.invalidDocument, "is \(value.kindName), not a string")
        }
        let url: WebURL
        do {
            url = try WebURL(endpoint: text)
        } catch {
            throw OAuthError(.invalidDocument, "cannot be used: \(error.message)", underlying: error)
        }
        if let issuer, url.isLoopback, !issuer.url.isLoopback {
            throw OAuthError(
                .invalidDocument,
                "leads to \(url.origin), which is this machine and not the provider"
            )
        }
        return url
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = document[name], !value.isNull else { return nil }
        return value
    }
}

extension WebURL {
    /// Reads an endpoint: `https` (or `http` on a loopback address), no fragment (RFC 6749, section 3.1).
    package init(endpoint text: String) throws(OAuthError) {
        let url: WebURL
        do {
            url = try WebURL(text)
        } catch {
            throw OAuthError(.invalidRequest, error.message, underlying: error)
        }
        guard url.isSecureOrLoopback else {
            throw OAuthError(.invalidRequest, "an endpoint must use https (http is for loopback addresses)")
        }
        guard url.fragment == nil else {
            throw OAuthError(.invalidRequest, "an endpoint must not have a fragment")
        }
        self = url
    }
}
