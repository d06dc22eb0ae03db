// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON

extension FakeProvider {
    /// Answers one request on its connection's thread; false closes the connection.
    func handle(_ request: WireRequest, _ connection: ByteConnection) -> Bool {
        let endpoint = endpoint(of: request.path)
        let behaviour = withState { Self.takeBehaviour(for: endpoint, &$0) }
        report(endpoint, .arrived, request)
        guard pass(behaviour.holdRequest, connection) else {
            report(endpoint, .abandoned, request)
            return false
        }
        guard !behaviour.closesBeforeCommit else {
            report(endpoint, .cut, request)
            return false
        }
        var response = behaviour.replacement ?? answer(endpoint, request, behaviour)
        if settings.sendsDate { response.setHeader("Date", Self.date(time(nil))) }
        behaviour.edit?(&response)
        guard pass(behaviour.holdAnswer, connection) else {
            report(endpoint, .abandoned, request)
            return false
        }
        let isWhole = deliver(response, behaviour.delivery, connection)
        if isWhole, endpoint == .token, response.status == 200 { noteArrival(of: request) }
        report(endpoint, isWhole ? .answered(status: response.status) : .cut, request)
        return isWhole && request.header("Connection")?.lowercased() != "close"
    }

    /// The path that leads to an endpoint, the issuer's own path included.
    func path(of endpoint: ProviderEndpoint) -> String {
        let prefix = settings.issuerPath
        return switch endpoint {
        case .openIDConfiguration: prefix + "/.well-known/openid-configuration"
        case .oauthMetadata: "/.well-known/oauth-authorization-server" + prefix
        case .jwks: prefix + "/jwks"
        case .authorize: prefix + "/authorize"
        case .signIn: prefix + "/sign-in"
        case .token: prefix + "/token"
        case .deviceAuthorization: prefix + "/device_authorization"
        case .device: prefix + "/device"
        case .revocation: prefix + "/revoke"
        case .userinfo: prefix + "/userinfo"
        case .pushedAuthorization: prefix + "/par"
        case .endSession: prefix + "/logout"
        case .registration: prefix + "/register"
        case .other: prefix + "/"
        }
    }

    /// The URL of an endpoint.
    package func url(of endpoint: ProviderEndpoint) -> String { origin + path(of: endpoint) }

    /// Remembers a rule that was broken.
    func note(_ rule: Breach.Rule, _ endpoint: ProviderEndpoint, _ detail: String) {
        withState { $0.breaches.append(Breach(rule: rule, endpoint: endpoint, detail: detail)) }
    }

    private func endpoint(of path: String) -> ProviderEndpoint {
        ProviderEndpoint.allCases.first { $0 != .other && self.path(of: $0) == path } ?? .other
    }

    /// The date form of RFC 9110, section 5.6.7.
    private static func date(_ time: time_t) -> String {
        var (time, parts) = (time, tm())
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 40)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func takeBehaviour(for endpoint: ProviderEndpoint, _ state: inout State) -> Behaviour {
        if state.scripts[endpoint]?.isEmpty == false, let next = state.scripts[endpoint]?.removeFirst() { return next }
        return state.standing[endpoint] ?? .ordinary
    }

    private func answer(_ endpoint: ProviderEndpoint, _ request: WireRequest, _ behaviour: Behaviour) -> WireResponse {
        switch endpoint {
        case .openIDConfiguration, .oauthMetadata: .json(metadata)
        case .jwks: .json(withState { $0.keys.document })
        case .authorize: authorize(request, behaviour)
        case .signIn: signIn(request, behaviour)
        case .token: token(request, behaviour)
        case .deviceAuthorization where settings.hasDeviceFlow: authorizeDevice(request)
        case .device where settings.hasDeviceFlow: device(request)
        case .revocation where settings.hasRevocation: revoke(request)
        case .userinfo where settings.hasUserinfo: userinfo(request)
        case .pushedAuthorization where settings.pushedRequests != .none: push(request)
        case .endSession where settings.hasEndSession: endSession(request)
        case .registration where settings.hasRegistration: register(request)
        case .deviceAuthorization, .device, .revocation, .userinfo, .pushedAuthorization, .endSession, .registration,
            .other:
            .text("There is nothing here.\n", status: 404)
        }
    }

    /// Whether the request may go on: at once without a gate, else when it opens.
    private func pass(_ gate: Gate?, _ connection: ByteConnection) -> Bool {
        guard let gate else { return true }
        return gate.wait(connection: connection.descriptor) == .opened
    }

    private func deliver(
        _ response: WireResponse,
        _ delivery: Behaviour.Delivery,
        _ connection: ByteConnection
    ) -> Bool {
        switch delivery {
        case .whole: return connection.send(response.bytes)
        case .closed(let reset):
            if reset { connection.resetOnClose() }
        case .half: connection.send(response.head + response.body.prefix(response.body.count / 2))
        case .raw(let bytes): connection.send(bytes)
        }
        return false
    }

    /// From here on, using the refresh token that was just replaced is the client's fault.
    private func noteArrival(of request: WireRequest) {
        guard let token = request.formParameters["refresh_token"] else { return }
        withState { $0.book.successorArrived(for: token) }
    }

    private func report(_ endpoint: ProviderEndpoint, _ phase: ProviderEvent.Phase, _ request: WireRequest) {
        let event = ProviderEvent(endpoint: endpoint, phase: phase, request: request)
        log.append(event)
        withState { $0.listener }?(event)
    }

    private var metadata: JSONObject {
        let settings = settings
        var document: JSONObject = [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(url(of: .authorize)),
            "token_endpoint": .string(url(of: .token)),
            "jwks_uri": .string(url(of: .jwks)),
            "scopes_supported": .array(settings.scopes.map { .string($0) }),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256", "RS256", "EdDSA"],
            "token_endpoint_auth_methods_supported": [
                "none", "client_secret_basic", "client_secret_post", "private_key_jwt",
            ],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": .bool(settings.sendsIssuer),
        ]
        if settings.hasDeviceFlow {
            document["device_authorization_endpoint"] = .string(url(of: .deviceAuthorization))
            document["grant_types_supported"] = [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
            ]
        }
        if settings.hasRevocation { document["revocation_endpoint"] = .string(url(of: .revocation)) }
        if settings.hasRegistration { document["registration_endpoint"] = .string(url(of: .registration)) }
        if settings.hasUserinfo { document["userinfo_endpoint"] = .string(url(of: .userinfo)) }
        if settings.hasEndSession { document["end_session_endpoint"] = .string(url(of: .endSession)) }
        if settings.pushedRequests != .none {
            document["pushed_authorization_request_endpoint"] = .string(url(of: .pushedAuthorization))
            document["require_pushed_authorization_requests"] = .bool(settings.pushedRequests == .required)
        }
        return document
    }
}
