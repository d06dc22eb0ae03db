// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Systemd
import TokendProtocol

/// What came of one request to a token endpoint. Whatever the grant type, the answer is judged here; a flow adds what
/// its own grant makes of it.
struct TokenOutcome {
    /// What the answer means.
    enum Verdict {
        /// A token, which is neither checked nor stored yet.
        case token(TokenResponse)
        /// A token that must not be served. The refresh token in it may be the only one that lives.
        case unusable(InvalidTokenResponse, RefreshFailure)
        /// The provider says no.
        case refused(Refusal, OAuthErrorBody, RefreshFailure)
        /// There is no token for now: the provider is away, asks to wait, or speaks another dialect.
        case failed(RefreshFailure)
    }

    /// What the provider says no to.
    enum Refusal {
        /// What was presented is over: the refresh token, or the code.
        case grantEnded
        /// It wants the user first.
        case userWanted
        /// The client, or the request as such.
        case request
        /// An error code that says none of these.
        case unknown
    }

    let verdict: Verdict
    /// When the request was sent, from which lifetimes count.
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

    /// Why there is no token; nil where there is one.
    ///
    /// - Parameters:
    ///   - source: how the account comes by tokens.
    ///   - variant: the combination that was asked for; nil: the account's own.
    func failure(of source: TokenSource, for variant: TokenVariant?) -> RefreshFailure? {
        switch verdict {
        case .token: return nil
        case .unusable(_, let failure), .failed(let failure): return failure
        case .refused(let refusal, let body, var failure):
            // Where there is no grant that could have ended, the provider refuses the client, or what it asks for.
            if !source.isOfUser, failure.kind == .unknown || failure.kind == .refused { failure.kind = .misconfigured }
            return variant == nil ? failure : failure.ofVariant(refusal, body)
        }
    }

    /// The token of a sign-in.
    func signedIn() throws(LoginFailure) -> TokenResponse {
        switch verdict {
        case .token(let response): return response
        case .refused(.grantEnded, let body, _), .refused(.userWanted, let body, _), .refused(.unknown, let body, _):
            throw .refused(body)
        case .refused(.request, _, let failure), .unusable(_, let failure), .failed(let failure):
            throw .fault(failure.error)
        }
    }

    /// What it means for a device login that waits for its user.
    var poll: DevicePollAnswer {
        switch answer {
        case .success(let answer): DevicePollAnswer(answer)
        case .failure: .passing(retryAfter: nil)
        }
    }

    /// Whether the request may have reached the provider, and its answer did not come back.
    var isLost: Bool {
        switch answer {
        case .failure(let error): mayHaveSpent && !error.isAnswered
        case .success(.unavailable(_, let answerLost)): answerLost
        case .success: false
        }
    }

    /// Whether the provider may have put another token in the place of the one that was sent, and it is not known here.
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
    /// Nothing came back.
    fileprivate init(lost error: TransportError) {
        self.init(kind: error.code == .tls ? .untrusted : .passing, error: error.protocolError)
    }

    /// The same failure of a request for a combination of scope, resource and audience: a refusal of the request as such
    /// concerns that combination alone, since the account's own works.
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
