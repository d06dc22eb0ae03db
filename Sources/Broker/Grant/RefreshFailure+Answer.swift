// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import TokendProtocol

extension RefreshFailure {
    /// What an answer that is neither a token nor the grant's end means.
    ///
    /// - Parameter host: the provider's, for the sentence that a person reads.
    init(_ answer: TokenAnswer, host: String) {
        switch answer {
        case .throttled(let body, let retryAfter):
            let seconds = retryAfter?.components.seconds ?? 0
            self.init(
                kind: seconds > 0 ? .throttled(seconds: seconds) : .passing,
                error: ProtocolError(
                    .providerUnreachable,
                    "\(host) asks to wait before the next renewal: \(body.message)"
                )
            )
        case .unavailable(let reason, answerLost: _):
            self.init(kind: .passing, error: ProtocolError(.providerUnreachable, "\(host): \(reason)"))
        case .misconfigured(let body):
            self.init(
                kind: .misconfigured,
                error: Self.refusal(body, host: host),
                isOwn: body.isAboutTarget
            )
        case .unknown(let body), .grantEnded(let body):
            self.init(kind: .unknown, error: Self.refusal(body, host: host))
        case .dpopNonce:
            self.init(
                kind: .misconfigured,
                error: ProtocolError(
                    .providerError,
                    "\(host) demands DPoP, which this version of tokend does not speak"
                )
            )
        case .invalid(let invalid):
            // The next answer may be in order again; what a person must mend looks otherwise.
            self.init(
                kind: .passing,
                error: ProtocolError(.providerError, "\(host): \(invalid.reason)")
            )
        case .success:
            preconditionFailure("A token is no failure.")
        }
    }

    /// Another refresh at the same provider was asked to wait.
    init(waiting seconds: Int64, host: String) {
        self.init(
            kind: .throttled(seconds: seconds),
            error: ProtocolError(.providerUnreachable, "\(host) asked to be left alone for a while")
        )
    }

    /// The same failure of a refresh for a combination of scope, resource and audience: what the provider has against the
    /// request as such is about that one, since the grant's own works.
    func ofDerived(_ answer: TokenAnswer) -> RefreshFailure {
        switch answer {
        case .misconfigured(let body) where !body.isAboutClient, .unknown(let body), .grantEnded(let body):
            var failure = self
            failure.kind = .misconfigured
            failure.isOwn = !body.isAboutClient
            return failure
        default:
            return self
        }
    }

    private static func refusal(_ body: OAuthErrorBody, host: String) -> ProtocolError {
        var error = ProtocolError(.providerError, "\(host) refuses the request: \(body.message)")
        if !body.error.isEmpty { error.data["oauth_error"] = .string(body.error) }
        if let status = body.status { error.data["http_status"] = .integer(Int64(status)) }
        return error
    }
}
