// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What an authorization request asked for, once it has been found to be in order.
struct AuthorizationAsk {
    let clientID: String
    let redirectURI: String
    let scope: String
    let state: String?
    let nonce: String?
    let challenge: String?
}

extension FakeProvider {
    /// The authorization endpoint (RFC 6749, section 4.1.1).
    func authorize(_ request: WireRequest, _ behaviour: Behaviour) -> WireResponse {
        guard request.method == "GET" else {
            note(.method, .authorize, request.method)
            return .text("Ask with GET.\n", status: 405)
        }
        guard let parameters = carried(by: request) else {
            return .html(SignInForm.refusal("This link was used before, or is none of ours."), status: 400)
        }
        guard let client = settings.clients.first(where: { $0.id == parameters["client_id"] }) else {
            note(parameters["client_id"] == nil ? .clientIDMissing : .clientUnknown, .authorize, "client_id")
            return .html(SignInForm.refusal("Nothing is known here of the program that sent you."), status: 400)
        }
        guard let redirectURI = parameters["redirect_uri"], client.accepts(redirectURI: redirectURI) else {
            note(.redirectURI, .authorize, parameters["redirect_uri"] ?? "missing")
            return .html(SignInForm.refusal("The program that sent you gave no address to return to."), status: 400)
        }
        let ask = AuthorizationAsk(
            clientID: client.id,
            redirectURI: redirectURI,
            scope: parameters["scope"] ?? "",
            state: parameters["state"],
            nonce: parameters["nonce"],
            challenge: parameters["code_challenge"]
        )
        // The same request under another name is the same attempt.
        let target = request.queryParameters["request_uri"] == nil ? request.target : parameters.encoded
        if let error = refusal(of: parameters, ask, target: target) {
            return redirect(ask, [("error", error)], behaviour)
        }
        switch settings.authorization {
        case .approve: return approve(ask, settings.user, behaviour)
        case .deny(let error): return redirect(ask, [("error", error)], behaviour)
        case .form: return showForm(ask)
        }
    }

    /// The form's answer: name and password, or a refusal.
    func signIn(_ request: WireRequest, _ behaviour: Behaviour) -> WireResponse {
        let parameters = request.formParameters
        let id = parameters["request"] ?? ""
        guard request.method == "POST", let ask = withState({ $0.forms[id] }) else {
            return .html(SignInForm.refusal("This form is no longer good. Start again in the program."), status: 400)
        }
        if parameters["answer"] == "deny" { return redirect(ask, [("error", "access_denied")], behaviour) }
        let settings = settings
        let user = ([settings.user] + settings.otherUsers).first {
            parameters["username"] == $0.name && parameters["password"] == $0.password
        }
        guard let user else {
            return .html(SignInForm.page(client: ask.clientID, request: id, isRetry: true), status: 403)
        }
        withState { $0.forms[id] = nil }
        return approve(ask, user, behaviour)
    }

    private func showForm(_ ask: AuthorizationAsk) -> WireResponse {
        let id = withState { state in
            let id = "request-\(state.forms.count + 1)-\(UInt32.random(in: 0 ... .max))"
            state.forms[id] = ask
            return id
        }
        return .html(SignInForm.page(client: ask.clientID, request: id, isRetry: false))
    }

    private func approve(_ ask: AuthorizationAsk, _ user: ProviderUser, _ behaviour: Behaviour) -> WireResponse {
        let code = withState { state in
            state.book.makeCode(
                clientID: ask.clientID,
                subject: user.subject,
                scope: state.settings.grantedScope ?? ask.scope,
                nonce: ask.nonce,
                redirectURI: ask.redirectURI,
                challenge: ask.challenge
            )
        }
        return redirect(ask, [("code", code)], behaviour)
    }

    private func redirect(
        _ ask: AuthorizationAsk,
        _ answer: [(name: String, value: String)],
        _ behaviour: Behaviour
    ) -> WireResponse {
        var parameters = WireParameters(answer)
        if let state = ask.state { parameters.append("state", state) }
        if settings.sendsIssuer { parameters.append("iss", issuer) }
        behaviour.editRedirect?(&parameters)
        let joint = ask.redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: ask.redirectURI + joint + parameters.encoded)
    }

    /// The error that a request deserves; everything that is wrong with it is noted, the first thing is answered.
    private func refusal(of parameters: WireParameters, _ ask: AuthorizationAsk, target: String) -> String? {
        let before = breaches.count
        noteShape(of: parameters, .authorize)
        for name in ["client_secret", "code_verifier", "password", "refresh_token", "access_token"]
        where parameters[name] != nil {
            note(.credentialsInURL, .authorize, name)
        }
        if parameters["response_type"] != "code" { note(.responseType, .authorize, parameters["response_type"] ?? "") }
        if (ask.state ?? "").utf8.count < 22 { note(.state, .authorize, "missing or under 128 bits") }
        let isOpenID = ask.scope.split(separator: " ").contains("openid")
        if isOpenID, (ask.nonce ?? "").utf8.count < 22 { note(.nonce, .authorize, "missing or under 128 bits") }
        if let challenge = ask.challenge {
            if parameters["code_challenge_method"] != "S256" { note(.plainChallenge, .authorize, "not S256") }
            if challenge.utf8.count != 43 { note(.challengeMissing, .authorize, "not 43 characters long") }
        } else {
            note(.challengeMissing, .authorize, "code_challenge")
        }
        noteReuse(of: ask, target: target)
        return breaches.count > before ? "invalid_request" : nil
    }

    /// State, nonce and challenge belong to one attempt; a page that is loaded again is the same attempt.
    private func noteReuse(of ask: AuthorizationAsk, target: String) {
        for (name, value) in [("state", ask.state), ("nonce", ask.nonce), ("code_challenge", ask.challenge)] {
            guard let value else { continue }
            let earlier = withState { $0.usedValues.updateValue(target, forKey: name + "=" + value) }
            if let earlier, earlier != target { note(.valueReused, .authorize, name) }
        }
    }

    /// Notes doubled, empty and unreadable parameters (RFC 6749, sections 3.1 and 3.2).
    func noteShape(of parameters: WireParameters, _ endpoint: ProviderEndpoint) {
        if parameters.isMalformed { note(.malformedForm, endpoint, "an escape") }
        for name in parameters.doubledNames where !["resource", "audience"].contains(name) {
            note(.doubledParameter, endpoint, name)
        }
        for name in parameters.emptyNames { note(.emptyParameter, endpoint, name) }
    }
}

extension ProviderClient {
    /// Exact comparison, but for the port of a loopback literal (RFC 8252, section 7.3).
    func accepts(redirectURI: String) -> Bool { Self.accepts(redirectURI, among: redirectURIs) }

    /// The same for the way back from a logout.
    func accepts(postLogoutURI: String) -> Bool { Self.accepts(postLogoutURI, among: postLogoutURIs) }

    private static func accepts(_ uri: String, among registered: [String]) -> Bool {
        registered.contains { $0 == uri || $0 == withoutLoopbackPort(uri) }
    }

    private static func withoutLoopbackPort(_ uri: String) -> String {
        for host in ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"] where uri.hasPrefix(host) {
            let rest = uri.dropFirst(host.count).drop { ("0"..."9").contains($0) }
            return String(host.dropLast()) + rest
        }
        return uri
    }
}
