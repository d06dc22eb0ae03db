// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension TokenAnswer {
    /// Error codes that the user's configuration must fix; the refresh token stays valid.
    private static let misconfigurations: Set<String> = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "incorrect_client_credentials", "invalid_request",
    ]

    /// Statuses that mean that there is no token endpoint at this URL.
    private static let misplaced: Set<Int> = [404, 405, 410]

    private static let transients: Set<String> = ["temporarily_unavailable", "server_error", "internal_failure"]

    /// Entra's numbers for "try again".
    private static let transientNumbers: Set<Int64> = [90006, 90012, 90024, 90025, 90033]

    /// Microsoft's number for a refresh token that "is not valid", which it also sends for valid ones that it accepts
    /// at the next try.
    private static let doubtfulNumbers: Set<Int64> = [70000]

    /// Judges an answer with an error code, or with an error status and readable members.
    ///
    /// The order matters: throttling before everything that the codes may say, then required user interaction, then the
    /// grant's end, then the client's faults, and the status last.
    static func classify(
        _ error: OAuthErrorBody,
        _ response: HTTPResponse,
        now: Int64,
        dialect: ProviderDialect
    ) -> TokenAnswer {
        let wait = response.waitAsked(now: now)
        if error.error == "use_dpop_nonce", let nonce = response.headers["DPoP-Nonce"], !nonce.isEmpty {
            return .dpopNonce(nonce)
        }
        if response.status >= 500 {
            return wait.map { .throttled(error, retryAfter: $0) } ?? passing(error, response)
        }
        if response.status == 429 || (response.status >= 400 && wait.map { $0 > .zero } == true) {
            return .throttled(error, retryAfter: wait)
        }
        if (300..<400).contains(response.status) {
            let reason = "the token endpoint redirects (HTTP \(response.status)), which is not followed"
            return .unavailable(reason: reason, answerLost: false)
        }
        return byCode(error, response, wait, dialect) ?? byStatus(error, response)
    }

    private static func byCode(
        _ error: OAuthErrorBody,
        _ response: HTTPResponse,
        _ wait: Duration?,
        _ dialect: ProviderDialect
    ) -> TokenAnswer? {
        if error.saysTooMuch {
            return .throttled(error, retryAfter: wait)
        }
        if !transientNumbers.isDisjoint(with: error.numbers) {
            return passing(error, response)
        }
        if error.deniesClient || (error.code == "access_denied" && dialect.accessDeniedMeansWrongSecret) {
            return .misconfigured(error)
        }
        if error.wantsUser {
            return .userWanted(error)
        }
        if isDoubtful(error) {
            return .unknown(error)
        }
        if error.tellsOfEnd {
            return .grantEnded(error)
        }
        return misconfigurations.contains(error.code) ? .misconfigured(error) : nil
    }

    private static func byStatus(_ error: OAuthErrorBody, _ response: HTTPResponse) -> TokenAnswer {
        if misplaced.contains(response.status) {
            return .misconfigured(error)
        }
        if [407, 408, 425].contains(response.status) || transients.contains(error.code) {
            return passing(error, response)
        }
        return .unknown(error)
    }

    /// Judges an answer that is neither JSON nor a form: a portal, a proxy, an outage, or a malformed success. Its
    /// content is not repeated.
    static func unreadable(_ response: HTTPResponse, _ body: AnswerBody, now: Int64) -> TokenAnswer {
        let reason =
            response.status >= 500
            ? "the provider failed (HTTP \(response.status)): \(body.what)"
            : "the token endpoint answered HTTP \(response.status) with \(body.what)"
        let error = OAuthErrorBody(error: "", description: reason, status: response.status)
        if misplaced.contains(response.status) {
            return .misconfigured(error)
        }
        let wait = response.status >= 400 ? response.waitAsked(now: now) : nil
        if response.status == 429 || wait != nil {
            return .throttled(error, retryAfter: wait)
        }
        guard (200..<300).contains(response.status) else {
            return .unavailable(reason: reason, answerLost: false)
        }
        let saved = ProviderJSON.refreshToken(in: response.body)
        let isWhole = !body.isCutOff && (body.fault != nil || response.body.isEmpty)
        guard saved == nil, !isWhole else {
            return .invalid(InvalidTokenResponse(reason: reason, refreshToken: saved, isUnread: true))
        }
        return .unavailable(reason: reason, answerLost: body.isCutOff)
    }

    private static func passing(_ error: OAuthErrorBody, _ response: HTTPResponse) -> TokenAnswer {
        .unavailable(
            reason: "the token endpoint answered HTTP \(response.status): \(error.message)",
            answerLost: false
        )
    }

    /// Whether the grant's end must be repeated to be believed; with a finer code it need not be.
    private static func isDoubtful(_ error: OAuthErrorBody) -> Bool {
        error.code == "invalid_grant" && !error.saysEndFinely && !doubtfulNumbers.isDisjoint(with: error.numbers)
    }
}
