// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// The request for the codes of a device login (RFC 8628, section 3.1): the client ID and the scope, by POST.
package struct DeviceAuthorizationRequest: Sendable {
    /// The requested scope.
    package var scope: Scope
    /// How the provider differs from the standard.
    package var dialect = ProviderDialect()
    /// The token's resources (RFC 8707).
    package var resources: [String] = []
    /// The token's audience, for providers without `resource`.
    package var audience: String?
    /// OpenID's `login_hint`.
    package var loginHint: String?
    /// OpenID's `prompt`.
    package var prompt: String?
    /// OpenID's `acr_values`.
    package var acrValues: String?
    /// OpenID's `max_age`, in seconds.
    package var maxAge: Int64?
    /// The account's own `authorization_parameters`: providers ignore unknown ones (section 3.1).
    package var additional = FormParameters()

    /// A request for this scope alone.
    package init(scope: Scope) {
        self.scope = scope
    }

    /// The HTTP request; a reserved or doubled name in `additional` is an error.
    package func httpRequest(
        endpoint: WebURL,
        clientID: String,
        authentication: ClientAuthentication
    ) throws(OAuthError) -> HTTPRequest {
        var form = FormParameters()
        form.append(dialect.deviceScopeParameter, ifPresent: scope.text)
        form.append("login_hint", ifPresent: loginHint)
        form.append("prompt", ifPresent: prompt)
        form.append("acr_values", ifPresent: acrValues)
        form.append("max_age", ifPresent: maxAge.map(String.init))
        form.append("audience", ifPresent: audience)
        try form.append(resources: resources)
        try form.append(additional: additional, reserved: AuthorizationRequest.reservedParameters)
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }
}
