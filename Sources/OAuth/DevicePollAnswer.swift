// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The meaning of the answer to a device login's poll (RFC 8628, section 3.5).
///
/// The error code decides, whatever the status: Google pends with 428 and slows down with 403, GitHub does both with
/// 200.
package enum DevicePollAnswer: Sendable {
    /// The user has not finished.
    case pending(retryAfter: Duration?)
    /// Poll less often from now on; `interval` is the new one in seconds, if the answer states it (GitHub).
    case slowDown(interval: Int64?, retryAfter: Duration?)
    /// The user has finished: a token, or an unusable success.
    case done(TokenAnswer)
    /// The user, or the provider for them, refused.
    case denied(OAuthErrorBody)
    /// The code has expired.
    case expired(OAuthErrorBody)
    /// The client is not allowed to do this: a user has to fix it.
    case misconfigured(OAuthErrorBody)
    /// Further polls are useless.
    case refused(OAuthErrorBody)
    /// The answer says nothing about the login: an outage, a portal, a limit.
    case passing(retryAfter: Duration?)

    /// Judges the parsed answer of the token endpoint.
    package init(_ answer: TokenAnswer) {
        switch answer {
        case .success, .invalid, .dpopNonce:
            self = .done(answer)
        case .throttled(let body, let retryAfter):
            self = Self.waiting(body, retryAfter) ?? .passing(retryAfter: retryAfter)
        case .unavailable:
            self = .passing(retryAfter: nil)
        case .misconfigured(let body):
            self = Self.waiting(body, nil) ?? .misconfigured(body)
        case .grantEnded(let body), .userWanted(let body), .unknown(let body):
            self = Self.waiting(body, nil) ?? Self.end(body)
        }
    }

    private static func waiting(_ body: OAuthErrorBody, _ retryAfter: Duration?) -> DevicePollAnswer? {
        switch body.code {
        case "authorization_pending": .pending(retryAfter: retryAfter)
        case "slow_down": .slowDown(interval: body.interval, retryAfter: retryAfter)
        default: nil
        }
    }

    /// Any other error stops the polls; the codes beside the standard's are Entra's and GitHub's.
    private static func end(_ body: OAuthErrorBody) -> DevicePollAnswer {
        switch body.code {
        case "access_denied", "authorization_declined": .denied(body)
        case "expired_token", "token_expired": .expired(body)
        case "device_flow_disabled": .misconfigured(body)
        default: .refused(body)
        }
    }
}

extension TokenAnswer {
    /// How long the provider asks all clients to wait; nil if it does not. A device login's slower polling concerns no
    /// other request.
    ///
    /// - Parameter isPoll: whether it is the answer to such a poll; elsewhere `slow_down` asks everyone to wait.
    package func coolDown(isPoll: Bool) -> Duration? {
        guard case .throttled(_, let retryAfter) = self else { return nil }
        if isPoll { guard case .passing = DevicePollAnswer(self) else { return nil } }
        return retryAfter
    }
}
