// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import TokendProtocol

extension LoginAttempt {
    // MARK: Before the user sees a code

    /// Asks the store, then the provider for the codes (RFC 8628, section 3.1): if one of them would refuse the grant
    /// later, no code is shown.
    ///
    /// - Returns: the codes, with their client and its authentication, so that the store is not read at each poll.
    func deviceCodes() async throws(ProtocolError) -> DeviceCodes {
        var prepared = try await prepareDevice()
        prepared.attempt.access = try await deviceAccess(prepared)
        return try await prepared.askForCodes()
    }

    /// The provider with the account's client; if the account names none, one is registered.
    private func deviceAccess(_ prepared: PreparedLogin) async throws(ProtocolError) -> ProviderAccess {
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

    private func prepareDevice() async throws(ProtocolError) -> PreparedLogin {
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
        return PreparedLogin(
            attempt: self,
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

    // MARK: Refusals

    /// Error codes that mean that this client, or this provider, has no device logins; the last one is GitHub's.
    private static let flowRefusals: Set<String> = [
        "unauthorized_client", "unsupported_grant_type", "access_denied", "device_flow_disabled",
    ]

    /// The provider's refusal, for the client; if it refuses the flow, the error names the other one. No other flow is
    /// tried automatically.
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
