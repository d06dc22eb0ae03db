// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension FakeProvider {
    /// The revocation endpoint (RFC 7009): an unknown token is no error.
    func revoke(_ request: WireRequest) -> WireResponse {
        if case .failure(let refusal) = checkClient(request, .revocation) { return refusal.response }
        guard let token = request.formParameters["token"] else {
            note(.tokenMissing, .revocation, "token")
            return .oauthError("invalid_request")
        }
        _ = withState { $0.book.revoke(token: token) }
        return WireResponse(status: 200)
    }

    /// The userinfo endpoint (OpenID Connect Core, section 5.3), which stands for any API as well.
    func userinfo(_ request: WireRequest) -> WireResponse {
        if request.queryParameters["access_token"] != nil { note(.tokenInURL, .userinfo, "access_token") }
        guard let header = request.header("Authorization"), header.lowercased().hasPrefix("bearer ") else {
            note(.bearerMissing, .userinfo, "Authorization")
            return challenge(nil)
        }
        let token = String(header.dropFirst("bearer ".count))
        guard let grant = withState({ $0.book.grant(accessToken: token, now: .now) }) else {
            return challenge("invalid_token")
        }
        let user = settings.user(ofSubject: grant.subject)
        var object: JSONObject = ["sub": .string(grant.subject)]
        let scope = grant.scope.split(separator: " ")
        if scope.contains("email") { object["email"] = .string(user.email) }
        if scope.contains("profile") { object["preferred_username"] = .string(user.name) }
        return .json(object)
    }

    /// RFC 6750, section 3.
    private func challenge(_ error: String?) -> WireResponse {
        var response = WireResponse(status: 401)
        response.setHeader("WWW-Authenticate", "Bearer realm=\"test\"" + (error.map { ", error=\"\($0)\"" } ?? ""))
        return response
    }
}
