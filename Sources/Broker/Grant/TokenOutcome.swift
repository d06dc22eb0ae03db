// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// The result of one request to a token endpoint. Answers are judged here for all grant types; a flow adds its own
/// consequences.
struct TokenOutcome {
    /// What the answer means.
    enum Verdict {
        /// A token that is neither checked nor stored yet.
        case token(TokenResponse)
        /// A token that must not be served. The refresh token with it may be the only valid one.
        case unusable(InvalidTokenResponse, RefreshFailure)
        /// The provider refuses.
        case refused(Refusal, OAuthErrorBody, RefreshFailure)
        /// No token for now: the provider is unavailable, asks to wait, or does not follow the protocol.
        case failed(RefreshFailure)
    }

    /// What the provider refuses.
    enum Refusal {
        /// The refresh token or the code has ended.
        case grantEnded
        /// User interaction is required.
        case userWanted
        /// The client, or the request as such.
        case request
        /// Another error code.
        case unknown
    }

    let verdict: Verdict
    /// When the request was sent; lifetimes start there.
    let sentAt: Moment
    private let answer: Result<TokenAnswer, TransportError>

    init(_ answer: Result<TokenAnswer, TransportError>, sentAt: Moment, at account: AccountConfiguration) {
        self.answer = answer
        self.sentAt = sentAt
        switch answer {
        case .success(let answer): verdict = Verdict(answer, at: account)
        case .failure(let error): verdict = .failed(RefreshFailure(lost: error))
        }
    }

    /// Why there is no token; nil if there is one.
    ///
    /// - Parameters:
    ///   - source: how the account gets tokens.
    ///   - variant: the requested variant; nil: the account's own.
    func failure(of source: TokenSource, for variant: TokenVariant?) -> RefreshFailure? {
        switch verdict {
        case .token: return nil
        case .unusable(_, let failure), .failed(let failure): return failure
        case .refused(let refusal, let body, var failure):
            // Without a user's grant nothing can have ended: the provider refuses the client or the request.
            if !source.isOfUser, failure.kind == .unknown || failure.kind == .refused { failure.kind = .misconfigured }
            return variant == nil ? failure : failure.ofVariant(refusal, body)
        }
    }

    /// The token response of a sign-in.
    func signedIn() throws(LoginFailure) -> TokenResponse {
        switch verdict {
        case .token(let response): return response
        case .refused(.grantEnded, let body, _), .refused(.userWanted, let body, _), .refused(.unknown, let body, _):
            throw .refused(body)
        case .refused(.request, _, let failure), .unusable(_, let failure), .failed(let failure):
            throw .fault(failure.error)
        }
    }

    /// Its meaning for a device login that is still polling.
    var poll: DevicePollAnswer {
        switch answer {
        case .success(let answer): DevicePollAnswer(answer)
        case .failure: .passing(retryAfter: nil)
        }
    }

    /// Whether the request may have reached the provider without its answer coming back.
    var isLost: Bool {
        switch answer {
        case .failure(let error): mayHaveSpent && !error.isAnswered
        case .success(.unavailable(_, let answerLost)): answerLost
        case .success: false
        }
    }

    /// Whether the provider may have replaced the token that was sent without the daemon knowing.
    var mayHaveSpent: Bool {
        switch answer {
        case .failure(let error): error.mayHaveBeenSent && error.code != .cancelled
        case .success(.unavailable(_, let answerLost)): answerLost
        case .success(.invalid(let invalid)): invalid.isUnread && invalid.refreshToken == nil
        case .success: false
        }
    }
}

extension TokenOutcome.Verdict {
    fileprivate init(_ answer: TokenAnswer, at account: AccountConfiguration) {
        if case .success(let response) = answer {
            self = .token(response)
            return
        }
        let failure = RefreshFailure(answer, at: account)
        switch answer {
        case .invalid(let invalid): self = .unusable(invalid, failure)
        case .grantEnded(let body): self = .refused(.grantEnded, body, failure)
        case .userWanted(let body): self = .refused(.userWanted, body, failure)
        case .misconfigured(let body): self = .refused(.request, body, failure)
        case .unknown(let body): self = .refused(.unknown, body, failure)
        case .success, .throttled, .unavailable, .dpopNonce: self = .failed(failure)
        }
    }
}

extension RefreshFailure {
    /// No answer arrived.
    fileprivate init(lost error: TransportError) {
        self.init(kind: error.code == .tls ? .untrusted : .passing, error: error.protocolError)
    }

    /// The same failure for a variant: a refusal of the request as such concerns that variant alone, since the
    /// account's own works.
    fileprivate func ofVariant(_ refusal: TokenOutcome.Refusal, _ body: OAuthErrorBody) -> RefreshFailure {
        switch refusal {
        case .request where body.isAboutClient, .userWanted where body.endsWholeGrant:
            return self
        case .request, .userWanted, .grantEnded, .unknown:
            var failure = self
            failure.kind = .misconfigured
            failure.concernsVariantAlone = !body.isAboutClient
            return failure
        }
    }
}
