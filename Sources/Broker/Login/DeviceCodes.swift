// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

/// A device login with codes from the provider: the user can enter one, and polling can begin.
@LoopActor struct DeviceCodes {
    let prepared: PreparedLogin
    let response: DeviceAuthorizationResponse
    /// When they were requested; their lifetime starts there.
    let askedAt: Moment

    private var access: ProviderAccess { prepared.access }
    private var account: AccountConfiguration { prepared.account }

    /// When the codes end, in unix seconds.
    var expiresAt: Int64 { askedAt.wall.addingSaturated(response.expiresIn) }

    /// The instructions for the user.
    var start: DeviceStart {
        DeviceStart(
            issuer: account.issuerName,
            userCode: response.userCode,
            verificationURI: response.verificationURI,
            verificationURIComplete: response.verificationURIComplete,
            interval: response.interval
        )
    }

    /// Polls once.
    func poll() async throws(LoginFailure) -> TokenOutcome {
        let endpoint: WebURL
        let request: TokenRequest
        do {
            endpoint = try prepared.metadata.require(\.tokenEndpoint, named: "token_endpoint")
            request = try TokenRequest.deviceCode(
                response.deviceCode,
                resources: account.resource,
                audience: account.audience
            )
        } catch {
            throw .fault(error.protocolError)
        }
        do {
            return try await access.send(request, to: endpoint, requested: prepared.scope)
        } catch {
            throw .fault(error)
        }
    }
}

extension PreparedLogin {
    /// Asks the provider for the codes.
    func askForCodes() async throws(ProtocolError) -> DeviceCodes {
        let askedAt = access.clock.now
        switch try await access.ask(deviceRequest, at: authorizationEndpoint) {
        case .success(let response):
            return DeviceCodes(prepared: self, response: response, askedAt: askedAt)
        case .invalid(let reason):
            throw ProtocolError(.providerError, "\(account.issuerHost): \(reason)")
        case .refused(let body):
            await access.noteRefusal(body)
            throw attempt.refusal(body)
        case .unavailable(let reason, let retryAfter):
            var error = ProtocolError(.providerUnreachable, "\(account.issuerHost): \(reason)")
            error.data["retry_at"] = retryAfter.map { .integer(askedAt.wall + $0.components.seconds) }
            throw error
        }
    }

    private var deviceRequest: DeviceAuthorizationRequest {
        var request = DeviceAuthorizationRequest(scope: scope)
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
}

extension ProviderAccess {
    /// Sends a device authorization request.
    ///
    /// - Throws: `config_invalid` if the client cannot authenticate, `provider_error` if the account's own parameters
    ///   cannot be sent, `provider_unreachable` if there was no answer.
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
