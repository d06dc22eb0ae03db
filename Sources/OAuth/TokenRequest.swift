// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// A request to the token endpoint: POST, form-encoded, nothing in the URL (RFC 6749, section 3.2).
package struct TokenRequest: Sendable {
    /// The parameters besides the client authentication.
    package private(set) var parameters: FormParameters

    /// Names that an account's `token_parameters` must not have.
    package static let reservedParameters = ClientAuthentication.parameterNames.union([
        "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "device_code",
        "subject_token", "actor_token", "username", "password", "assertion",
    ])

    /// Names that an account's `token_headers` must not have (in lower case).
    package static let reservedHeaders: Set<String> = [
        "authorization", "cookie", "content-type", "content-length", "host", "accept", "transfer-encoding",
        "connection", "dpop", "proxy-authorization",
    ]

    /// Whether it asks if the user of a device login is done.
    package var isPoll: Bool { parameters["grant_type"] == Self.deviceGrantType }

    /// The secrets in it.
    package var secrets: [Secret] {
        ["refresh_token", "code", "code_verifier", "device_code"].compactMap(parameters.secret)
    }

    /// Exchanges a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). `redirectURI` is the one that was sent, byte
    /// for byte. A code is sent once, whatever the answer. `scope` is for providers that require it here, too.
    package static func authorizationCode(
        _ code: Secret,
        redirectURI: String,
        proofKey: ProofKey,
        scope: Scope? = nil,
        resources: [String] = [],
        audience: String? = nil
    ) throws(OAuthError) -> TokenRequest {
        var form: FormParameters = ["grant_type": "authorization_code"]
        form.append("code", code)
        form.append("redirect_uri", redirectURI)
        form.append("code_verifier", proofKey.verifier)
        form.append("scope", ifPresent: scope?.text)
        return try TokenRequest(form, resources: resources, audience: audience)
    }

    /// Refreshes (RFC 6749, section 6). `scope` is omitted unless a down-scoped token is wanted; it never exceeds what
    /// was granted. `redirectURI` is the login's, for providers that require it again.
    package static func refresh(
        _ refreshToken: Secret,
        scope: Scope? = nil,
        redirectURI: String? = nil,
        resources: [String] = [],
        audience: String? = nil
    ) throws(OAuthError) -> TokenRequest {
        var form: FormParameters = ["grant_type": "refresh_token"]
        form.append("refresh_token", refreshToken)
        form.append("scope", ifPresent: scope?.text)
        form.append("redirect_uri", ifPresent: redirectURI)
        return try TokenRequest(form, resources: resources, audience: audience)
    }

    /// Polls a device login (RFC 8628, section 3.4).
    package static func deviceCode(
        _ code: Secret,
        resources: [String] = [],
        audience: String? = nil
    ) throws(OAuthError) -> TokenRequest {
        var form: FormParameters = ["grant_type": deviceGrantType]
        form.append("device_code", code)
        return try TokenRequest(form, resources: resources, audience: audience)
    }

    /// The grant type of a device login (RFC 8628, section 3.4).
    package static let deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

    /// Requests a token for the client itself (RFC 6749, section 4.4).
    package static func clientCredentials(
        scope: Scope,
        resources: [String] = [],
        audience: String? = nil
    ) throws(OAuthError) -> TokenRequest {
        var form: FormParameters = ["grant_type": "client_credentials"]
        form.append("scope", ifPresent: scope.text)
        return try TokenRequest(form, resources: resources, audience: audience)
    }

    private init(_ form: FormParameters, resources: [String], audience: String?) throws(OAuthError) {
        parameters = form
        parameters.append("audience", ifPresent: audience)
        try parameters.append(resources: resources)
    }

    /// The request with the account's own parameters; a reserved or doubled name is an error.
    package func adding(_ additional: FormParameters) throws(OAuthError) -> TokenRequest {
        var request = self
        try request.parameters.append(additional: additional, reserved: Self.reservedParameters)
        return request
    }

    /// The HTTP request. `headers` are the account's own; a reserved one is an error.
    package func httpRequest(
        endpoint: WebURL,
        clientID: String,
        authentication: ClientAuthentication,
        headers: HTTPHeaders = [:]
    ) throws(OAuthError) -> HTTPRequest {
        for (name, _) in headers where Self.reservedHeaders.contains(name.lowercased()) {
            throw OAuthError(.invalidRequest, "the header \(name) is the protocol's own and cannot be set")
        }
        return .form(
            parameters,
            to: endpoint,
            clientID: clientID,
            authentication: authentication,
            headers: headers
        )
    }
}

extension HTTPRequest {
    /// A form POST of a client to its provider, which requests JSON: several providers have another default (GitHub).
    static func form(
        _ parameters: FormParameters,
        to endpoint: WebURL,
        clientID: String,
        authentication: ClientAuthentication,
        headers: HTTPHeaders = [:]
    ) -> HTTPRequest {
        var headers = headers
        var form = parameters
        headers["Accept"] = "application/json"
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        authentication.apply(clientID: clientID, headers: &headers, form: &form)
        return HTTPRequest(method: .post, url: endpoint, headers: headers, body: form.encoded())
    }
}
