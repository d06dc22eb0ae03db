// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

/// The result of exchanging the provider's token at the application's backend.
enum Trade {
    /// The application's token.
    case done(HeldToken)
    /// A passing failure: the same token can be sent again.
    case later(RefreshFailure)
    /// The backend refuses this token, or there is none to send: the next attempt needs a new one.
    case refused(RefreshFailure)
}

extension ProviderAccess {
    /// The least validity of a token that is sent to a backend.
    private static let leastValidity: Int64 = 10

    /// Whether the provider's token can still be sent to the backend.
    func isTradable(_ held: HeldToken, at now: Moment) -> Bool { subject(of: held, at: now) != nil }

    /// Exchanges the provider's token for the application's own (`exchange` in the account's file).
    ///
    /// - Parameter held: the provider's answer, its ID token verified.
    func trade(_ held: HeldToken, by exchange: ApplicationExchange) async -> Trade {
        guard let subject = subject(of: held, at: clock.now) else { return .refused(nothingToShow(exchange)) }
        let sentAt = clock.now
        let response: HTTPResponse
        do {
            response = try await transport.send(exchange.request(subject), wire: wire)
        } catch {
            return .later(RefreshFailure(kind: error.code == .tls ? .untrusted : .passing, error: error.protocolError))
        }
        let host = exchange.url.host
        switch ApplicationAnswer.read(response, to: exchange, now: clock.now.wall, sent: subject) {
        case .token(let token, let lifetime):
            return .done(
                HeldToken(
                    accessToken: token,
                    tokenType: "Bearer",
                    scope: held.scope,
                    issuedAt: sentAt.wall,
                    lifetime: lifetime,
                    obtainedAtBoot: sentAt.boot,
                    idToken: held.idToken,
                    idTokenExpiresAt: held.idTokenExpiresAt,
                    extra: [:]
                )
            )
        case .refused(let body):
            return .refused(RefreshFailure(kind: .misconfigured, error: refusal(body, host: host)))
        case .unavailable(let reason, let wait):
            let seconds = wait?.components.seconds ?? 0
            let error = ProtocolError(
                .providerUnreachable,
                "\(host), which gives out the application's token, is away: \(reason)"
            )
            return .later(RefreshFailure(kind: seconds > 0 ? .throttled(seconds: seconds) : .passing, error: error))
        case .invalid(let reason):
            let error = ProtocolError(
                .providerError,
                "\(host), which is to give out the application's token: \(reason)",
                data: ["host": .string(host), "http_status": .integer(Int64(response.status))]
            )
            return .later(RefreshFailure(kind: .passing, error: error))
        }
    }

    private func subject(of held: HeldToken, at now: Moment) -> Secret? {
        switch account.exchange?.subject {
        case .idToken:
            guard let end = held.idTokenExpiresAt, end > now.wall.addingSaturated(Self.leastValidity) else {
                return nil
            }
            return held.idToken
        case .accessToken:
            return held.holds(Self.leastValidity, at: now) ? held.accessToken : nil
        case nil:
            return nil
        }
    }

    private func refusal(_ body: OAuthErrorBody, host: String) -> ProtocolError {
        var data: JSONObject = ["host": .string(host)]
        if let status = body.status { data["http_status"] = .integer(Int64(status)) }
        let status = body.status.map { " (HTTP \($0))" } ?? ""
        let words = body.error.isEmpty && body.description == nil ? "" : ": \(body.message)"
        return ProtocolError(
            .providerError,
            "\(host) gives out no application token for this sign-in\(status)\(words)",
            data: data
        )
    }

    /// A refresh may bring no new ID token (OpenID Connect Core, section 12.2); then only a user can.
    private func nothingToShow(_ exchange: ApplicationExchange) -> RefreshFailure {
        let name = account.name
        let what = exchange.subject == .idToken ? "ID token" : "access token"
        return RefreshFailure(
            kind: .misconfigured,
            error: ProtocolError(
                .loginRequired,
                "\(account.issuerHost) gives no \(what) to show to \(exchange.url.host); "
                    + "sign in with: tokenctl login \(name)",
                data: ["account": .string(name), "reason": .string(EndReason.ended.rawValue)]
            )
        )
    }
}
