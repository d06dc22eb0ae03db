// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

/// A device login that waits for its user (RFC 8628).
struct PendingDevice {
    enum State {
        case waiting
        /// The code that stands for the approved request in the book.
        case approved(code: String)
        case denied
    }

    let clientID: String
    let scope: String
    let end: ContinuousClock.Instant
    var interval: Duration
    var lastPoll: ContinuousClock.Instant
    var state = State.waiting
}

extension FakeProvider {
    /// The device authorization endpoint (section 3.1).
    func authorizeDevice(_ request: WireRequest) -> WireResponse {
        let client: ProviderClient
        switch checkClient(request, .deviceAuthorization) {
        case .success(let known): client = known
        case .failure(let refusal): return refusal.response
        }
        let scope = request.formParameters["scope"] ?? ""
        let page = url(of: .device)
        return withState { state in
            let settings = state.settings
            let codes = state.book.makeDeviceCodes()
            state.devices[codes.device] = PendingDevice(
                clientID: client.id,
                scope: scope,
                end: .now.advanced(by: .seconds(settings.deviceCodeLifetime)),
                interval: .seconds(settings.deviceInterval),
                lastPoll: .now
            )
            state.userCodes[codes.user] = codes.device
            return .json([
                "device_code": .string(codes.device), "user_code": .string(codes.user),
                "verification_uri": .string(page),
                "verification_uri_complete": .string(page + "?user_code=" + codes.user),
                "expires_in": .integer(Int64(settings.deviceCodeLifetime)),
                "interval": .integer(Int64(settings.deviceInterval)),
            ])
        }
    }

    /// The page where the code is entered, and the answer to its form.
    func device(_ request: WireRequest) -> WireResponse {
        guard request.method == "POST" else {
            return .html(SignInForm.devicePage(code: request.queryParameters["user_code"] ?? ""))
        }
        let parameters = request.formParameters
        let settings = settings
        let user = ([settings.user] + settings.otherUsers).first {
            parameters["username"] == $0.name && parameters["password"] == $0.password
        }
        let code = parameters["user_code"] ?? ""
        guard parameters["answer"] == "deny" ? decide(code, nil) : user.map({ decide(code, $0) }) ?? false else {
            return .html(SignInForm.refusal("That code, name and password do not go together."), status: 403)
        }
        return .html(SignInForm.done)
    }

    /// Approves a device login as a user would on the page; false where nobody waits with that code.
    @discardableResult
    package func approveDevice(userCode: String) -> Bool { decide(userCode, settings.user) }

    /// The same with a refusal.
    @discardableResult
    package func denyDevice(userCode: String) -> Bool { decide(userCode, nil) }

    private func decide(_ userCode: String, _ user: ProviderUser?) -> Bool {
        withState { state in
            guard let name = state.userCodes[userCode], var device = state.devices[name], device.end > .now,
                case .waiting = device.state
            else { return false }
            if let user {
                let code = state.book.makeCode(
                    clientID: device.clientID,
                    subject: user.subject,
                    scope: state.settings.grantedScope ?? device.scope,
                    nonce: nil,
                    redirectURI: "",
                    challenge: nil
                )
                device.state = .approved(code: code)
            } else {
                device.state = .denied
            }
            state.devices[name] = device
            return true
        }
    }

    /// A poll (section 3.4); one that comes too soon is the client's fault.
    func pollDevice(_ parameters: WireParameters, _ client: ProviderClient, _ behaviour: Behaviour) -> WireResponse {
        let name = parameters["device_code"] ?? ""
        guard let device = withState({ $0.devices[name] }), device.clientID == client.id else {
            note(.deviceCodeUnknown, .token, "device_code")
            return .oauthError("invalid_grant")
        }
        let now = ContinuousClock.now
        let isEarly = device.lastPoll.duration(to: now) < device.interval
        withState { state in
            state.devices[name]?.lastPoll = now
            if isEarly { state.devices[name]?.interval += .seconds(5) }
        }
        if isEarly {
            note(.pollTooSoon, .token, "\(device.lastPoll.duration(to: now))")
            return .oauthError("slow_down")
        }
        guard device.end > now else { return .oauthError("expired_token") }
        switch device.state {
        case .waiting: return .oauthError("authorization_pending")
        case .denied: return .oauthError("access_denied")
        case .approved(let code):
            let tokens = withState { state in
                state.devices[name] = nil
                return state.book.redeem(
                    code,
                    scope: nil,
                    resources: [],
                    audience: nil,
                    settings: state.settings,
                    now: now
                )
            }
            guard let tokens else { return .oauthError("invalid_grant") }
            return answer(tokens, isRefresh: false, behaviour)
        }
    }
}
