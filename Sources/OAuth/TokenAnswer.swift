// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The meaning of a token endpoint's answer, for a refresh as for a code exchange: each case requires another action,
/// so that an ended grant is never confused with an unavailable provider.
package enum TokenAnswer: Sendable {
    /// A token that may be served after its refresh token is stored and its ID token verified.
    case success(TokenResponse)
    /// A token that must not be served; its new refresh token, if any, is stored all the same.
    case invalid(InvalidTokenResponse)
    /// The provider requires this nonce in a DPoP proof (RFC 9449, section 8): send the request once more.
    case dpopNonce(String)
    /// The grant has ended: the user has to sign in.
    case grantEnded(OAuthErrorBody)
    /// The provider requires user interaction before it renews the grant, without calling it ended: the user has to
    /// sign in, and the refresh token is kept.
    case userWanted(OAuthErrorBody)
    /// The client or the request is wrong, the grant is valid: stop until the configuration changes.
    case misconfigured(OAuthErrorBody)
    /// The provider asks to wait, for `retryAfter` (at most an hour) if stated.
    case throttled(OAuthErrorBody, retryAfter: Duration?)
    /// A passing failure: retry with back-off. If the answer was lost (a 2xx without its end), the refresh token may be
    /// spent.
    case unavailable(reason: String, answerLost: Bool)
    /// An unknown code: treated as passing a few times, then the user has to sign in; the grant is kept.
    case unknown(OAuthErrorBody)

    /// Reads an answer.
    ///
    /// `sentAt` and `now` are the unix times of the request and of the answer. `requested` is the requested scope.
    /// `issuer` is the account's, nil if it has none. `sent` are the secrets of the request, which no text about the
    /// answer may repeat.
    package static func read(
        _ response: HTTPResponse,
        sentAt: Int64,
        now: Int64,
        requested: Scope = [],
        issuer: Issuer? = nil,
        sent: [Secret] = [],
        dialect: ProviderDialect = ProviderDialect()
    ) -> TokenAnswer {
        let body = AnswerBody(response)
        guard let object = body.object else {
            return unreadable(response, body, now: now)
        }
        if let error = OAuthErrorBody(answer: object, status: response.status, sent: sent) {
            return classify(error, response, now: now, dialect: dialect)
        }
        guard (200..<300).contains(response.status) else {
            let error = OAuthErrorBody(unnamedIn: object, status: response.status, sent: sent)
            return classify(error, response, now: now, dialect: dialect)
        }
        let context = TokenResponse.Context(
            clock: response.serverDate.map(Int64.init) ?? sentAt,
            issuer: issuer,
            requested: requested,
            dialect: dialect
        )
        do {
            return .success(try TokenResponse(members: object, context: context))
        } catch {
            return .invalid(error)
        }
    }
}
