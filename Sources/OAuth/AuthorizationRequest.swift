// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
import Secrets

/// The authorization request for the browser: authorization code with proof key (RFC 6749, section 4.1.1; RFC 7636,
/// section 4.3; OpenID Connect Core, section 3.1.2.1).
package struct AuthorizationRequest: Sendable {
    /// The client's identifier.
    package var clientID: String

    /// The redirect URI; the token request repeats it byte for byte.
    package var redirectURI: String

    /// The requested scope; an empty one is not sent.
    package var scope: Scope

    /// How this provider expects scopes.
    package var dialect = ProviderDialect()

    /// Binds the answer to this attempt (RFC 9700, section 2.1); new for each.
    package var state: String

    /// Binds the ID token to this attempt; nil only if no ID token can come.
    package var nonce: String?

    /// Binds the code to this attempt.
    package var proofKey: ProofKey

    /// The expected user.
    package var loginHint: String?

    /// `login`, `consent`, `select_account` …
    package var prompt: String?

    /// The requested authentication classes, best first, separated by spaces (RFC 9470, section 4).
    package var acrValues: String?

    /// The greatest age of the sign-in in seconds (RFC 9470, section 4).
    package var maxAge: Int64?

    /// Absolute URIs of the target APIs (RFC 8707, section 2), each in its own parameter.
    package var resources: [String] = []

    /// The target API's name, for providers that use it instead (Auth0).
    package var audience: String?

    /// The account's own parameters; the members above override them.
    package var additional: FormParameters = [:]

    /// A request with what every login needs; the rest is set afterwards.
    package init(
        clientID: String,
        redirectURI: String,
        scope: Scope,
        state: String,
        nonce: String?,
        proofKey: ProofKey
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scope = scope
        self.state = state
        self.nonce = nonce
        self.proofKey = proofKey
    }

    /// Names that `additional` must not have: parameters of this request, those that change how the answer returns or
    /// is bound, and those of other requests.
    package static let reservedParameters: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "code_verifier", "code", "request", "request_uri", "client_secret",
        "client_assertion", "client_assertion_type", "grant_type", "refresh_token", "access_token", "dpop_jkt",
    ]

    /// The URL to open: the endpoint with its own query kept (RFC 6749, section 3.1), without doubled or empty
    /// parameters.
    package func url(endpoint: WebURL) throws(OAuthError) -> WebURL {
        try Self.url(endpoint, carrying: try parameters())
    }

    /// The URL to open for a pushed request (RFC 9126, section 4): the client and the request URI, without the pushed
    /// parameters.
    package func url(endpoint: WebURL, requestURI: String) throws(OAuthError) -> WebURL {
        try Self.url(endpoint, carrying: ["client_id": clientID, "request_uri": requestURI])
    }

    private static func url(_ endpoint: WebURL, carrying parameters: FormParameters) throws(OAuthError) -> WebURL {
        let kept = endpoint.queryParameters ?? [:]
        for element in kept where parameters[element.name] != nil {
            throw OAuthError(
                .invalidRequest,
                "the authorization endpoint's own query holds \(DisplayText.sanitized(element.name)), "
                    + "which the request sends too"
            )
        }
        return endpoint.appendingQuery(parameters)
    }

    /// The parameters in a fixed order; also what a pushed request sends (RFC 9126, section 2.1).
    package func parameters() throws(OAuthError) -> FormParameters {
        var form: FormParameters = [
            "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
        ]
        form.append(dialect.scopeParameter, ifPresent: scope.tokens.joined(separator: dialect.scopeSeparator))
        form.append("state", state)
        form.append("nonce", ifPresent: nonce)
        form.append("code_challenge", proofKey.challenge)
        form.append("code_challenge_method", ProofKey.method)
        form.append("login_hint", ifPresent: loginHint)
        form.append("prompt", ifPresent: prompt)
        form.append("acr_values", ifPresent: acrValues)
        form.append("max_age", ifPresent: maxAge.map(String.init))
        form.append("audience", ifPresent: audience)
        try form.append(resources: resources)
        try form.append(additional: additional, reserved: Self.reservedParameters)
        return form
    }

    /// The `prompt` to send: the caller's, else the account's, else `consent` for the first offline grant, since a
    /// provider may ignore `offline_access` without it (OpenID Connect Core, section 11), unless `consents` is false.
    package static func prompt(
        asked: String?,
        configured: String?,
        scope: Scope,
        consents: Bool,
        holdsGrant: Bool
    ) -> String? {
        if let prompt = asked ?? configured {
            return prompt
        }
        let isOffline = scope.contains("openid") && scope.contains("offline_access")
        return isOffline && consents && !holdsGrant ? "consent" : nil
    }
}

extension FormParameters {
    /// Adds each resource once: an absolute URI without a fragment (RFC 8707, section 2).
    mutating func append(resources: [String]) throws(OAuthError) {
        for resource in resources where !values(of: "resource").contains(resource) {
            guard Self.isResource(resource) else {
                throw OAuthError(.invalidRequest, "a resource must be an absolute URI without a fragment")
            }
            append("resource", resource)
        }
    }

    /// Adds an account's own parameters: a reserved or doubled one is an error, an empty or existing one is skipped.
    mutating func append(additional: FormParameters, reserved: Set<String>) throws(OAuthError) {
        var added: Set<String> = []
        let given = Set(map(\.name))
        for element in additional where !element.secret.isEmpty {
            let shown = DisplayText.sanitized(element.name, limit: 60)
            guard !reserved.contains(element.name) else {
                throw OAuthError(.invalidRequest, "the parameter \(shown) is the protocol's own and cannot be set")
            }
            guard element.name == "resource" || added.insert(element.name).inserted else {
                throw OAuthError(.invalidRequest, "the parameter \(shown) is set twice")
            }
            if !given.contains(element.name) {
                append(element.name, element.secret)
            }
        }
    }

    /// A scheme, a colon, more characters, and no fragment.
    package static func isResource(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon + 1 < bytes.count else {
            return false
        }
        let isLetter = { (byte: UInt8) in (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
        let isSchemeByte = { (byte: UInt8) in
            isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || [0x2B, 0x2D, 0x2E].contains(byte)
        }
        return isLetter(bytes[0]) && bytes[..<colon].allSatisfy(isSchemeByte)
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    }
}
