// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import TokendProtocol

extension RefreshFailure {
    /// The meaning of an answer that is neither a token nor the grant's end.
    ///
    /// - Parameter account: its provider and client are named in the sentence for the user.
    init(_ answer: TokenAnswer, at account: AccountConfiguration) {
        let host = account.issuerHost
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
            let isClients = body.code == "access_denied" && account.dialect.accessDeniedMeansWrongSecret
            let refusal = body.mayMeanGrant && !isClients ? Refusal(body) : nil
            let kind: Class = refusal == nil || body.isAboutTarget ? .misconfigured : .unknown
            self.init(
                kind: kind,
                error: Self.error(body, account),
                concernsVariantAlone: body.isAboutTarget,
                refusal: refusal
            )
        case .unknown(let body), .grantEnded(let body):
            let refusal = body.mayMeanGrant ? Refusal(body) : nil
            self.init(kind: .unknown, error: Self.error(body, account), refusal: refusal)
        case .userWanted(let body):
            self.init(kind: .refused, error: Self.error(body, account), refusal: Refusal(body))
        case .dpopNonce:
            self.init(
                kind: .misconfigured,
                error: ProtocolError(
                    .providerError,
                    "\(host) demands DPoP, which this version of tokend does not speak"
                )
            )
        case .invalid(let invalid):
            // The next answer may be valid again; errors that the user must fix look different.
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

    private static func error(_ body: OAuthErrorBody, _ account: AccountConfiguration) -> ProtocolError {
        var error = ProtocolError(
            .providerError,
            "\(account.issuerHost) refuses the request: \(body.message)" + Self.advice(body, account)
        )
        if !body.error.isEmpty { error.data["oauth_error"] = .string(body.error) }
        if let status = body.status { error.data["http_status"] = .integer(Int64(status)) }
        return error
    }

    /// The user's next step if the provider does not accept the client; the grant is kept.
    private static func advice(_ body: OAuthErrorBody, _ account: AccountConfiguration) -> String {
        guard body.refusesClient else { return "" }
        if account.registersClient {
            let again = "; the client is registered again at the next sign-in: tokenctl login \(account.name)"
            guard account.clientAuthentication == .none else { return again }
            return again + ", which needs client_authentication in \(account.file) where the provider knows no public "
                + "clients"
        }
        switch account.clientAuthentication {
        case .none:
            return "; “\(account.name)” sends no client secret: if the provider gave one out, set "
                + "client_authentication in \(account.file) to client_secret_basic or client_secret_post, and give it with: "
                + "tokenctl account secret \(account.name)"
        case .clientSecretBasic, .clientSecretPost:
            return "; it does not accept the client secret that was sent by \(account.clientAuthentication.rawValue): "
                + "give the right one with: tokenctl account secret \(account.name)"
        case .privateKeyJWT:
            return "; it does not accept the client's key: register its public part there, or give another one with: "
                + "tokenctl account secret \(account.name) --kind client_key"
        }
    }
}

extension RefreshFailure.Refusal {
    fileprivate init(_ body: OAuthErrorBody) {
        self.init(code: body.error, status: body.status, words: body.message)
    }
}
