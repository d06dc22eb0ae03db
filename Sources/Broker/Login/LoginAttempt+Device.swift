// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension LoginAttempt {
    /// The codes of a device login, and what they were asked with.
    struct DeviceCodes {
        var prepared: Prepared
        var response: DeviceAuthorizationResponse
        /// When they were asked for, from which their life counts.
        var askedAt: Moment
    }

    // MARK: Before a user sees a code

    /// Asks the store, then the provider for the codes (RFC 8628, section 3.1): where one of them would refuse the
    /// grant in the end, no code is shown.
    ///
    /// - Returns: the codes, and the attempt with their client and its authentication, so that the store is not read at
    ///   each poll.
    func deviceCodes() async throws(ProtocolError) -> (attempt: LoginAttempt, codes: DeviceCodes) {
        let prepared = try await prepareDevice()
        var attempt = self
        attempt.access = try await deviceAccess(prepared)
        return (attempt, try await attempt.askForCodes(prepared))
    }

    /// The provider as the client that the account names; where it names none, one is registered.
    private func deviceAccess(_ prepared: Prepared) async throws(ProtocolError) -> ProviderAccess {
        guard account.registersClient else {
            do { return try await access.identified() } catch { throw error.protocolError }
        }
        return try await registrar.deviceClient(
            prepared.registration,
            scope: prepared.scope,
            metadata: prepared.metadata,
            held: prepared.heldClientID
        )
    }

    private func askForCodes(_ prepared: Prepared) async throws(ProtocolError) -> DeviceCodes {
        let askedAt = access.clock.now
        switch try await access.ask(deviceRequest(prepared), at: prepared.authorizationEndpoint) {
        case .success(let response):
            return DeviceCodes(prepared: prepared, response: response, askedAt: askedAt)
        case .invalid(let reason):
            throw ProtocolError(.providerError, "\(account.issuerHost): \(reason)")
        case .refused(let body):
            await access.noteRefusal(body)
            throw refusal(body)
        case .unavailable(let reason, let retryAfter):
            var error = ProtocolError(.providerUnreachable, "\(account.issuerHost): \(reason)")
            error.data["retry_at"] = retryAfter.map { .integer(askedAt.wall + $0.components.seconds) }
            throw error
        }
    }

    private func prepareDevice() async throws(ProtocolError) -> Prepared {
        let beganAt = access.clock.now.boot
        let previous = try await previousRecord()
        let metadata = try await access.directory.metadata(for: account, wire: access.wire, isFresh: true)
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw ProtocolError(
                .providerError,
                "the metadata of \(account.issuerHost) \(metadata.lack(of: "device_authorization_endpoint")), so "
                    + "“\(account.name)” cannot sign in with a code (where there is one all the same: endpoints.device_authorization in "
                    + "\(account.file)); \(browserInstead)"
            )
        }
        do {
            _ = try metadata.require(\.tokenEndpoint, named: "token_endpoint")
        } catch {
            throw error.protocolError
        }
        let registration = account.registersClient ? try await registrar.known(isForDevice: true) : nil
        if account.registersClient, registration == nil, metadata.registrationEndpoint == nil {
            throw registrar.unregistrable
        }
        let added = addedScope(previous)
        let scope = await scope(metadata, added: added)
        return Prepared(
            beganAt: beganAt,
            metadata: metadata,
            authorizationEndpoint: endpoint,
            previous: previous,
            redirects: [],
            scope: scope,
            addedScope: added,
            registration: registration
        )
    }

    private func deviceRequest(_ prepared: Prepared) -> DeviceAuthorizationRequest {
        var request = DeviceAuthorizationRequest(scope: prepared.scope)
        request.dialect = account.dialect
        request.loginHint = parameters.loginHint
        request.prompt = parameters.prompt
        request.acrValues = parameters.acrValues
        request.maxAge = parameters.maxAge
        request.resources = account.resource
        request.audience = account.audience
        request.additional = account.authorizationParameters
        return request
    }

    // MARK: While the user enters it

    /// Asks once whether the user is done; the moment is that of sending.
    func poll(_ codes: DeviceCodes) async throws(LoginFailure) -> (answer: DevicePollAnswer, sentAt: Moment) {
        let endpoint: WebURL
        let request: TokenRequest
        do {
            endpoint = try codes.prepared.metadata.require(\.tokenEndpoint, named: "token_endpoint")
            request = try TokenRequest.deviceCode(
                codes.response.deviceCode,
                resources: account.resource,
                audience: account.audience
            )
        } catch {
            throw .fault(error.protocolError)
        }
        do {
            switch try await access.send(request, to: endpoint, requested: codes.prepared.scope) {
            case .answer(let answer, at: let sentAt): return (DevicePollAnswer(answer), sentAt)
            case .lost(_, at: let sentAt): return (.passing(retryAfter: nil), sentAt)
            }
        } catch {
            throw .fault(error)
        }
    }

    /// Keeps the result of a poll, as the code exchange does.
    func settle(
        _ answer: TokenAnswer,
        _ codes: DeviceCodes,
        sentAt: Moment,
        for login: Login
    ) async throws(LoginFailure) -> LoginResult {
        switch answer {
        case .success(let response):
            return try await settle(response, codes.prepared, nonce: nil, sentAt: sentAt, for: login)
        case .invalid(let invalid):
            discard([invalid.refreshToken], codes.prepared)
            throw .fault(RefreshFailure(answer, at: account).error)
        default:
            throw .fault(RefreshFailure(answer, at: account).error)
        }
    }

    // MARK: What the provider refuses

    /// Codes that say that this client, or this provider, has no device logins; the last one is GitHub's.
    private static let flowRefusals: Set<String> = [
        "unauthorized_client", "unsupported_grant_type", "access_denied", "device_flow_disabled",
    ]

    /// The provider's refusal, for the client; if it refuses the flow, the error names the other one. No flow is ever tried
    /// instead of another.
    func refusal(_ body: OAuthErrorBody) -> ProtocolError {
        var error = RefreshFailure(.misconfigured(body), at: account).error
        if body.error.isEmpty || Self.flowRefusals.contains(body.error) {
            error.message =
                "\(account.issuerHost) does not let “\(account.name)” sign in with a code: \(body.message); "
                + browserInstead
        }
        return error
    }

    private var browserInstead: String {
        account.flow == .device
            ? "to sign in with a browser instead, put flow: \"browser\" into \(account.file)"
            : "sign in with a browser instead: tokenctl login \(account.name)"
    }
}

extension ProviderAccess {
    /// Sends a device authorization request.
    ///
    /// - Throws: `config_invalid` where the client cannot authenticate, `provider_error` where the account's own
    ///   parameters cannot be sent, `provider_unreachable` where nothing came back.
    func ask(
        _ request: DeviceAuthorizationRequest,
        at endpoint: WebURL
    ) async throws(ProtocolError) -> DeviceAuthorizationAnswer {
        let authentication = try await authentication()
        let http: HTTPRequest
        do throws(OAuthError) {
            http = try request.httpRequest(
                endpoint: endpoint,
                clientID: account.clientID,
                authentication: authentication
            )
        } catch {
            throw error.protocolError
        }
        do throws(TransportError) {
            let response = try await transport.send(http, wire: wire)
            return .read(response, now: clock.now.wall, sent: authentication.secrets(clientID: account.clientID))
        } catch {
            throw error.protocolError
        }
    }
}
