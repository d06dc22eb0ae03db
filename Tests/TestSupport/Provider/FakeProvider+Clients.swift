// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import JOSE
import StrictJSON

extension FakeProvider {
    /// Client authentication (RFC 6749, section 2.3): none at all for a public client, exactly one way for another.
    func authenticate(
        _ request: WireRequest,
        _ parameters: WireParameters,
        _ endpoint: ProviderEndpoint
    ) -> Result<ProviderClient, Refusal> {
        let basic = request.header("Authorization").map(BasicCredentials.init(header:))
        let secret = parameters["client_secret"]
        let assertion = parameters["client_assertion"]
        guard [basic != nil, secret != nil, assertion != nil].count(where: \.self) < 2 else {
            note(.severalClientAuthentications, endpoint, "more than one way")
            return .failure(Refusal("invalid_request"))
        }
        guard let id = basic?.name ?? parameters["client_id"] else {
            note(.clientIDMissing, endpoint, "client_id")
            return .failure(Refusal("invalid_client", status: 401))
        }
        guard let client = settings.clients.first(where: { $0.id == id }) else {
            note(.clientUnknown, endpoint, id)
            return .failure(Refusal("invalid_client", status: 401))
        }
        let way =
            basic != nil
            ? "client_secret_basic"
            : secret != nil ? "client_secret_post" : assertion != nil ? "private_key_jwt" : "none"
        guard client.authentication == nil || client.authentication == way else {
            note(.clientAuthentication, endpoint, "by \(way)")
            return .failure(Refusal("invalid_client", status: 401))
        }
        let isGood =
            assertion.map { accepts($0, of: client, parameters) } ?? (client.secret == basic?.password ?? secret)
        guard isGood else {
            note(.clientAuthentication, endpoint, client.secret == nil ? "a public client has no secret" : "wrong")
            return .failure(Refusal("invalid_client", status: 401))
        }
        return .success(client)
    }

    /// RFC 7523, section 3: by the client's key, for this provider, of now, and never seen before.
    private func accepts(_ assertion: String, of client: ProviderClient, _ parameters: WireParameters) -> Bool {
        guard let key = client.key, let keys = try? JSONWebKeySet(["keys": .array([key])]),
            let signature = try? JSONWebSignature(compact: assertion),
            (try? signature.verify(with: keys, algorithms: Set(SignatureAlgorithm.allCases))) != nil,
            let claims = try? signature.claims(), let id = claims["jti"]?.string
        else { return false }
        let isNew = withState { $0.usedAssertions.insert(id).inserted }
        let now = Int64(time(nil))
        return parameters["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            && claims["iss"]?.string == client.id && claims["sub"]?.string == client.id
            && [url(of: .token), issuer].contains(claims["aud"]?.string) && isNew
            && (claims["exp"]?.int64).map { (now...(now + 300)).contains($0) } == true
    }

    /// A token for the client itself (RFC 6749, section 4.4); a public client gets none.
    func serve(_ client: ProviderClient, _ parameters: WireParameters) -> WireResponse {
        guard client.secret != nil || client.key != nil else {
            note(.grantType, .token, "client_credentials of a public client")
            return .oauthError("unauthorized_client")
        }
        let tokens = withState { state in
            state.book.issueOwn(
                clientID: client.id,
                purpose: GrantBook.Purpose(
                    scope: parameters["scope"] ?? "",
                    resources: parameters.values(of: "resource"),
                    audience: parameters["audience"]
                ),
                settings: state.settings,
                now: .now
            )
        }
        return .json([
            "access_token": .string(tokens.accessToken), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Int64(settings.accessTokenLifetime))), "scope": .string(tokens.scope),
        ])
    }

    /// Dynamic registration (RFC 7591, section 3).
    func register(_ request: WireRequest) -> WireResponse {
        guard request.method == "POST", request.header("Content-Type")?.hasPrefix("application/json") == true,
            let asked = (try? JSONReader().read(request.body))?.object
        else {
            note(.method, .registration, "POST of JSON")
            return .oauthError("invalid_client_metadata")
        }
        let settings = settings
        if let token = settings.initialAccessToken, request.header("Authorization") != "Bearer \(token)" {
            return .oauthError("invalid_token", status: 401)
        }
        let redirects = asked["redirect_uris"]?.array?.compactMap(\.string) ?? []
        guard !redirects.isEmpty,
            redirects.allSatisfy({ $0.hasPrefix("http://127.0.0.1") || $0.hasPrefix("http://[::1]") })
        else {
            note(.redirectURI, .registration, redirects.joined(separator: " "))
            return .oauthError("invalid_redirect_uri")
        }
        let isNative = asked["application_type"] == "native" && asked["response_types"] == ["code"]
        if !isNative { note(.registration, .registration, "not a native client") }
        let way =
            settings.registeredAuthentication ?? asked["token_endpoint_auth_method"]?.string ?? "client_secret_basic"
        return enroll(asked, redirects, way)
    }

    private func enroll(_ asked: JSONObject, _ redirects: [String], _ way: String) -> WireResponse {
        let (client, access) = withState { state in
            let number = state.settings.clients.count
            let access = state.book.makeSecret("ra")
            var client = ProviderClient(id: "registered-\(number)", redirectURIs: redirects)
            client.authentication = way
            if way.hasPrefix("client_secret") { client.secret = state.book.makeSecret("cs") }
            state.settings.clients.append(client)
            return (client, access)
        }
        var answer = asked
        answer["client_id"] = .string(client.id)
        answer["token_endpoint_auth_method"] = .string(way)
        answer["registration_access_token"] = .string(access)
        answer["registration_client_uri"] = .string(url(of: .registration) + "/" + client.id)
        if let secret = client.secret {
            answer["client_secret"] = .string(secret)
            let life = settings.registeredSecretLifetime
            answer["client_secret_expires_at"] = .number(JSONNumber(life.map { Int64(time(nil)) + Int64($0) } ?? 0))
        }
        return .json(answer, status: 201)
    }
}
