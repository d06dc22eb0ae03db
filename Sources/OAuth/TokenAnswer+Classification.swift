// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension TokenAnswer {
    /// Codes after which only a sign-in helps. `invalid_grant` counts at any status: Auth0 and Atlassian
    /// send it with 403, Globus with 401, GitHub and Slack send theirs with 200.
    private static let endings: Set<String> = [
        "invalid_grant", "bad_refresh_token", "invalid_refresh_token", "invalid_code", "refresh_token_reused",
        "expired_token", "access_denied", "interaction_required", "login_required", "consent_required",
        "account_selection_required",
    ]

    /// Finer codes of Entra after which only a sign-in helps.
    private static let endingSuberrors: Set<String> = [
        "message_only", "additional_action", "basic_action", "user_password_expired", "consent_required",
        "bad_token",
    ]

    /// Codes that the user must fix in the configuration; the refresh token stays valid.
    private static let misconfigurations: Set<String> = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "incorrect_client_credentials", "invalid_request",
    ]

    /// Statuses that say that there is no token endpoint at this place.
    private static let misplaced: Set<Int> = [404, 405, 410]

    private static let transients: Set<String> = ["temporarily_unavailable", "server_error", "internal_failure"]

    /// Entra's numbers for "too busy" and "try again".
    private static let throttledNumbers: Set<Int64> = [90055]
    private static let transientNumbers: Set<Int64> = [90006, 90012, 90024]

    /// Microsoft's number for a refresh token that "is not valid", which it says of good ones, too, and takes them at the
    /// next try.
    private static let doubtfulNumbers: Set<Int64> = [70000]

    /// Judges an answer that names an error, or that has a bad status and readable members.
    ///
    /// The order decides: a busy provider before everything that its codes may say, the grant's end before
    /// the client's faults, both before the status.
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
        if (300..<400).contains(response.status) {
            let reason = "the token endpoint redirects (HTTP \(response.status)), which is not followed"
            return .unavailable(reason: reason, answerLost: false)
        }
        return byCode(error, response, wait, dialect) ?? byStatus(error, response, wait)
    }

    private static func byCode(
        _ error: OAuthErrorBody,
        _ response: HTTPResponse,
        _ wait: Duration?,
        _ dialect: ProviderDialect
    ) -> TokenAnswer? {
        if saysTooMuch(error) {
            return .throttled(error, retryAfter: wait)
        }
        if !transientNumbers.isDisjoint(with: error.numbers) {
            return passing(error, response)
        }
        if error.error == "access_denied", dialect.accessDeniedMeansWrongSecret {
            return .misconfigured(error)
        }
        if isDoubtful(error) {
            return .unknown(error)
        }
        if endsGrant(error) {
            return .grantEnded(error)
        }
        return misconfigurations.contains(error.error) ? .misconfigured(error) : nil
    }

    private static func byStatus(
        _ error: OAuthErrorBody,
        _ response: HTTPResponse,
        _ wait: Duration?
    ) -> TokenAnswer {
        if misplaced.contains(response.status) {
            return .misconfigured(error)
        }
        if response.status == 429 || wait != nil {
            return .throttled(error, retryAfter: wait)
        }
        if [408, 425].contains(response.status) || transients.contains(error.error) {
            return passing(error, response)
        }
        return .unknown(error)
    }

    /// Judges an answer that is neither JSON nor a form: a portal, a proxy, an outage. Nothing of its
    /// content is told.
    static func unreadable(_ response: HTTPResponse, isCutOff: Bool, now: Int64) -> TokenAnswer {
        let type = JSONDocument.typeName(of: response)
        let what = isCutOff && !response.body.isEmpty ? "JSON that is cut off" : "\(type) where JSON was due"
        let reason = "the token endpoint answered HTTP \(response.status) with \(what)"
        let error = OAuthErrorBody(error: "", description: reason, status: response.status)
        if misplaced.contains(response.status) {
            return .misconfigured(error)
        }
        let wait = response.status >= 400 ? response.waitAsked(now: now) : nil
        if response.status == 429 || wait != nil {
            return .throttled(error, retryAfter: wait)
        }
        let wasDone = (200..<300).contains(response.status)
        return .unavailable(reason: reason, answerLost: wasDone && isCutOff)
    }

    private static func passing(_ error: OAuthErrorBody, _ response: HTTPResponse) -> TokenAnswer {
        .unavailable(
            reason: "the token endpoint answered HTTP \(response.status): \(error.message)",
            answerLost: false
        )
    }

    /// `slow_down`, Entra's number, or words: Zoho says it in a description, under `Access Denied`.
    private static func saysTooMuch(_ error: OAuthErrorBody) -> Bool {
        guard error.error != "invalid_grant" || !throttledNumbers.isDisjoint(with: error.numbers) else {
            return false
        }
        return error.error == "slow_down" || !throttledNumbers.isDisjoint(with: error.numbers)
            || (error.description?.lowercased().contains("too many requests") ?? false)
    }

    /// Whether the grant's end is to be believed only when it is said again; with a finer code it is meant.
    private static func isDoubtful(_ error: OAuthErrorBody) -> Bool {
        error.error == "invalid_grant" && error.suberror == nil && !doubtfulNumbers.isDisjoint(with: error.numbers)
    }

    /// Whether only a sign-in helps. MetaBrainz calls a dead refresh token an `invalid_request`.
    private static func endsGrant(_ error: OAuthErrorBody) -> Bool {
        if endings.contains(error.error) || error.suberror.map(endingSuberrors.contains) ?? false {
            return true
        }
        guard error.error == "invalid_request", let text = error.description?.lowercased() else { return false }
        let namesToken = text.contains("refresh_token") || text.contains("refresh token")
        return namesToken && ["revoked", "invalid", "expired"].contains { text.contains($0) }
    }
}
