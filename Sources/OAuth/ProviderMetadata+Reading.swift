// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import StrictJSON

extension ProviderMetadata {
    /// Reads a document; a member that is known and has the wrong type refuses the whole document
    /// (DISC-6), one that is unknown or null is passed over.
    ///
    /// That the issuer is the right one is for `Discovery` to check.
    package init(document: JSONObject) throws(OAuthError) {
        let reader = MemberReader(document: document)
        issuer = try reader.string("issuer")
        authorizationEndpoint = try reader.endpoint("authorization_endpoint")
        tokenEndpoint = try reader.endpoint("token_endpoint")
        revocationEndpoint = try reader.endpoint("revocation_endpoint")
        introspectionEndpoint = try reader.endpoint("introspection_endpoint")
        userInfoEndpoint = try reader.endpoint("userinfo_endpoint")
        keySetURL = try reader.endpoint("jwks_uri")
        endSessionEndpoint = try reader.endpoint("end_session_endpoint")
        registrationEndpoint = try reader.endpoint("registration_endpoint")
        deviceAuthorizationEndpoint = try reader.endpoint("device_authorization_endpoint")
        pushedAuthorizationRequestEndpoint = try reader.endpoint("pushed_authorization_request_endpoint")
        scopesSupported = Scope(try reader.strings("scopes_supported") ?? [])
        grantTypes = try reader.strings("grant_types_supported") ?? grantTypes
        tokenEndpointAuthenticationMethods =
            try reader.strings("token_endpoint_auth_methods_supported") ?? tokenEndpointAuthenticationMethods
        codeChallengeMethods = try reader.strings("code_challenge_methods_supported") ?? []
        idTokenSigningAlgorithms =
            try reader.strings("id_token_signing_alg_values_supported") ?? idTokenSigningAlgorithms
        sendsIssuerInResponse = try reader.flag("authorization_response_iss_parameter_supported")
        requiresPushedRequests = try reader.flag("require_pushed_authorization_requests")
        requiresSignedRequests = try reader.flag("require_signed_request_object")
        if !advertisesProofKey {
            notes.append("PKCE not advertised: S256 is sent all the same")
        }
    }
}

extension ProviderMetadata {
    /// Every place that it names.
    var endpoints: [WebURL] {
        [
            authorizationEndpoint, tokenEndpoint, revocationEndpoint, introspectionEndpoint, userInfoEndpoint,
            keySetURL,
            endSessionEndpoint, registrationEndpoint, deviceAuthorizationEndpoint, pushedAuthorizationRequestEndpoint,
        ].compactMap(\.self)
    }
}

/// Reads members of a metadata document by type.
private struct MemberReader {
    let document: JSONObject

    func string(_ name: String) throws(OAuthError) -> String? {
        guard let value = present(name) else { return nil }
        guard let text = value.string else { throw wrongType(name, value, expected: "a string") }
        return text
    }

    func flag(_ name: String) throws(OAuthError) -> Bool {
        guard let value = present(name) else { return false }
        guard let flag = value.bool else { throw wrongType(name, value, expected: "a boolean") }
        return flag
    }

    func strings(_ name: String) throws(OAuthError) -> [String]? {
        guard let value = present(name) else { return nil }
        guard let elements = value.array else { throw wrongType(name, value, expected: "a list") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else {
            throw OAuthError(.invalidDocument, "the provider's metadata: \(name) must hold strings only")
        }
        return texts
    }

    /// An endpoint is `https` (or loopback) and has no fragment (RFC 6749, sections 3.1 and 3.2).
    func endpoint(_ name: String) throws(OAuthError) -> WebURL? {
        guard let text = try string(name) else { return nil }
        do {
            return try WebURL(endpoint: text)
        } catch {
            throw OAuthError(.invalidDocument, "the provider's metadata: \(name): \(error.message)", underlying: error)
        }
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = document[name], !value.isNull else { return nil }
        return value
    }

    private func wrongType(_ name: String, _ value: JSONValue, expected: String) -> OAuthError {
        OAuthError(.invalidDocument, "the provider's metadata: \(name) is \(value.kindName), not \(expected)")
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
