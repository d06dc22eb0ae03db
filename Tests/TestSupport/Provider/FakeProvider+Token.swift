// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import JOSE
import StrictJSON

extension FakeProvider {
    /// The token endpoint (RFC 6749, section 3.2).
    func token(_ request: WireRequest, _ behaviour: Behaviour) -> WireResponse {
        let client: ProviderClient
        switch checkClient(request, .token) {
        case .success(let known): client = known
        case .failure(let refusal): return refusal.response
        }
        let parameters = request.formParameters
        switch parameters["grant_type"] {
        case "authorization_code": return redeem(parameters, client, behaviour)
        case "refresh_token": return refresh(parameters, client, behaviour)
        case "urn:ietf:params:oauth:grant-type:device_code" where settings.hasDeviceFlow:
            return pollDevice(parameters, client, behaviour)
        case "client_credentials": return serve(client, parameters)
        case let other:
            note(.grantType, .token, other ?? "missing")
            return .oauthError(other == nil ? "invalid_request" : "unsupported_grant_type")
        }
    }

    /// An answer that ends the handling of a request.
    struct Refusal: Error {
        let response: WireResponse

        init(_ error: String, status: Int = 400) { response = .oauthError(error, status: status) }
    }

    /// Checks what the token and revocation endpoints have in common, and who asks.
    func checkClient(_ request: WireRequest, _ endpoint: ProviderEndpoint) -> Result<ProviderClient, Refusal> {
        guard request.method == "POST" else {
            note(.method, endpoint, request.method)
            return .failure(Refusal("invalid_request", status: 405))
        }
        let before = breaches.count
        let parameters = request.formParameters
        if let query = request.query {
            let carriesSecret = ["client_secret", "code", "refresh_token", "code_verifier", "token", "device_code"]
                .contains { WireParameters(query)[$0] != nil }
            note(carriesSecret ? .credentialsInURL : .queryAtEndpoint, endpoint, "query")
        }
        let types = request.headers("Content-Type").map { $0.lowercased().filter { $0 != " " } }
        let form = "application/x-www-form-urlencoded"
        if types != [form], types != [form + ";charset=utf-8"] {
            note(.contentType, endpoint, types.joined(separator: ", "))
        }
        noteShape(of: parameters, endpoint)
        guard breaches.count == before else { return .failure(Refusal("invalid_request")) }
        return authenticate(request, parameters, endpoint)
    }

    private func redeem(_ parameters: WireParameters, _ client: ProviderClient, _ behaviour: Behaviour) -> WireResponse
    {
        guard let code = parameters["code"] else {
            note(.codeMissing, .token, "code")
            return .oauthError("invalid_request")
        }
        guard let pending = withState({ $0.book.codes[code] }), pending.grant.clientID == client.id else {
            note(.codeUnknown, .token, "code")
            return .oauthError("invalid_grant")
        }
        guard !pending.isUsed else {
            note(.codeReused, .token, "code")
            withState { $0.book.revoke(code: code) }
            return .oauthError("invalid_grant")
        }
        guard parameters["redirect_uri"] == pending.redirectURI else {
            note(.redirectURI, .token, parameters["redirect_uri"] ?? "missing")
            return .oauthError("invalid_grant")
        }
        guard verifierFits(parameters["code_verifier"], pending.challenge) else {
            note(.verifier, .token, parameters["code_verifier"] == nil ? "missing" : "wrong")
            return .oauthError("invalid_grant")
        }
        if let refusal = targetRefusal(parameters) { return refusal }
        let tokens = withState { state in
            state.book.redeem(
                code,
                scope: state.settings.scopesChooseResource ? parameters["scope"] : nil,
                resources: parameters.values(of: "resource"),
                audience: parameters["audience"],
                settings: state.settings,
                now: .now
            )
        }
        guard let tokens else { return .oauthError("invalid_grant") }
        return answer(tokens, isRefresh: false, behaviour)
    }

    /// RFC 7636, sections 4.1 and 4.6.
    private func verifierFits(_ verifier: String?, _ challenge: String?) -> Bool {
        guard let verifier, let challenge else { return verifier == nil && challenge == nil }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        guard (43...128).contains(verifier.utf8.count), verifier.allSatisfy(allowed.contains) else { return false }
        return Base64URL.encode(Digest.sha256(Array(verifier.utf8))) == challenge
    }

    private func refresh(
        _ parameters: WireParameters,
        _ client: ProviderClient,
        _ behaviour: Behaviour
    ) -> WireResponse {
        guard let token = parameters["refresh_token"] else {
            note(.refreshTokenMissing, .token, "refresh_token")
            return .oauthError("invalid_request")
        }
        if let refusal = targetRefusal(parameters) { return refusal }
        let outcome = withState { state in
            state.book.refresh(
                token,
                clientID: client.id,
                scope: parameters["scope"],
                resources: parameters.values(of: "resource"),
                audience: parameters["audience"],
                settings: state.settings,
                now: .now
            )
        }
        switch outcome {
        case .issued(let tokens): return answer(tokens, isRefresh: true, behaviour)
        case .unknown: return .oauthError("invalid_grant", description: "The refresh token is unknown or revoked.")
        case .reused(let innocent):
            if !innocent { note(.refreshTokenReused, .token, "refresh_token") }
            return .oauthError("invalid_grant", description: "The refresh token was used before.")
        case .widened:
            note(.scopeWidened, .token, parameters["scope"] ?? "")
            return .oauthError("invalid_scope")
        }
    }

    /// RFC 8707, section 2: a resource that is none, or not known here. The refresh token is not used up.
    private func targetRefusal(_ parameters: WireParameters) -> WireResponse? {
        if settings.scopesChooseResource {
            let isMixed = ProviderSettings.resources(parameters["scope"] ?? "").count > 1
            guard parameters["resource"] == nil, !isMixed else {
                return .oauthError("invalid_request", description: "AADSTS901002: one resource, by scope.")
            }
        }
        for resource in parameters.values(of: "resource") {
            if !resource.contains(":") || resource.contains("#") { note(.resource, .token, resource) }
            if let known = settings.resources, !known.contains(resource) {
                return .oauthError("invalid_target", description: "This resource is not served here.")
            }
        }
        return nil
    }

    /// The endpoint's good answer.
    func answer(_ tokens: GrantBook.TokenSet, isRefresh: Bool, _ behaviour: Behaviour) -> WireResponse {
        let settings = settings
        var object: JSONObject = [
            "access_token": .string(tokens.accessToken), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Int64(settings.accessTokenLifetime))), "scope": .string(tokens.scope),
        ]
        if let refreshToken = tokens.refreshToken { object["refresh_token"] = .string(refreshToken) }
        let isOpenID = tokens.grant.scope.split(separator: " ").contains("openid")
        if isOpenID, !isRefresh || settings.refreshesIDToken {
            let keys = withState { $0.keys }
            var draft = IDTokenDraft.make(
                issuer: issuer,
                grant: tokens.grant,
                accessToken: tokens.accessToken,
                settings: settings,
                key: keys.current
            )
            behaviour.editIDToken?(&draft)
            if let idToken = keys.sign(draft) {
                object["id_token"] = .string(idToken)
                withState { $0.idTokens.append(idToken) }
            }
        }
        return .json(object)
    }
}
