// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The request to revoke a token (RFC 7009, section 2.1).
package struct RevocationRequest: Sendable {
    /// What kind of token it is (`token_type_hint`).
    package enum Hint: String, Sendable, Hashable {
        case refreshToken = "refresh_token"
        case accessToken = "access_token"
    }

    /// The token to revoke.
    package let token: Secret
    /// What kind it is.
    package let hint: Hint

    /// A request for one token; the refresh token goes first, then the access token.
    package init(token: Secret, hint: Hint) {
        self.token = token
        self.hint = hint
    }

    /// The HTTP request.
    package func httpRequest(
        endpoint: WebURL,
        clientID: String,
        authentication: ClientAuthentication
    ) -> HTTPRequest {
        var form = FormParameters()
        form.append("token", token)
        form.append("token_type_hint", hint.rawValue)
        return .form(form, to: endpoint, clientID: clientID, authentication: authentication)
    }
}

/// The result of a revocation (RFC 7009, section 2.2). Local deletion does not wait for it.
package enum RevocationAnswer: Sendable {
    /// Any 2xx, whatever its body says; an unknown token counts as revoked.
    case done
    /// This provider does not revoke tokens of this type (`unsupported_token_type`): the logout has not failed.
    case unsupportedTokenType
    /// The provider asks to retry (503, 429) or could not do it now.
    case later(reason: String, retryAfter: Duration?)
    /// The provider refuses.
    case refused(OAuthErrorBody)

    /// Reads the answer; `now` is the unix time at which it came, `sent` are the secrets of the request, which no text
    /// about the answer may repeat.
    package static func read(_ response: HTTPResponse, now: Int64, sent: [Secret] = []) -> RevocationAnswer {
        switch response.status {
        case 200..<300:
            return .done
        case 300..<400, 408, 425, 429, 500...:
            return .later(
                reason: "HTTP \(response.status)",
                retryAfter: response.waitAsked(now: now)
            )
        default:
            let body = AnswerBody(response).object.flatMap {
                OAuthErrorBody(answer: $0, status: response.status, sent: sent)
            }
            let error = body ?? OAuthErrorBody(error: "", status: response.status)
            return error.error == "unsupported_token_type" ? .unsupportedTokenType : .refused(error)
        }
    }
}
