// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

// The meaning of a token endpoint's error for the grant. Providers use their own codes and texts for the same thing, in
// any case and in any member. A refresh token is destroyed only by an error about the grant itself.
extension OAuthErrorBody {
    /// The error's code in lower case: some providers use upper case.
    package var code: String { error.lowercased() }

    /// Whether the grant is over (RFC 6749, section 5.2). `invalid_grant` counts at any status: Auth0 sends it with 403,
    /// Globus with 401, GitHub and Slack send theirs with 200.
    var tellsOfEnd: Bool {
        if Self.endings.contains(code) || saysEndFinely { return true }
        guard !Self.otherCauses.contains(code) else { return false }
        return [error, description].compactMap(\.self).contains { Self.isEnd($0, hasCode: !error.isEmpty) }
    }

    /// Whether a finer code means the end, whatever the code.
    var saysEndFinely: Bool {
        suberror.map { Self.fineEndings.contains($0.lowercased()) } ?? false
    }

    /// Whether the provider requires user interaction (a second factor, consent, another network or device) without
    /// refusing the grant: it may be renewed again once the user, or an administrator, has met the requirement.
    var wantsUser: Bool {
        if saysEndFinely { return false }
        return Self.userCodes.contains(code) || (suberror.map { Self.fineUserCodes.contains($0.lowercased()) } ?? false)
            || numbers.contains { number in
                Self.policyNumbers.contains(number) || Self.deviceNumbers.contains { $0.contains(number) }
            }
    }

    /// Whether the provider has had too many requests, by code or in its text: Zoho says so under `Access Denied`,
    /// Entra under `invalid_grant`.
    var saysTooMuch: Bool {
        if Self.throttleCodes.contains(code) || !Self.throttleNumbers.isDisjoint(with: numbers) { return true }
        guard let text = description?.lowercased() else { return false }
        return ["too many requests", "rate limit", "throttled"].contains { text.contains(text: $0) }
    }

    /// Auth0's code for a wrong client secret.
    var deniesClient: Bool {
        code == "access_denied" && status == 401 && description.map(Self.plain) == "unauthorized"
    }

    private static let endings: Set<String> = [
        "invalid_grant", "bad_refresh_token", "invalid_refresh_token", "refresh_token_not_found",
        "refresh_token_already_used", "refresh_token_reused", "refresh_token_expired", "refresh_token_revoked",
        "expired_token", "token_expired", "token_revoked", "invalid_code", "session_not_found", "session_expired",
    ]

    private static let fineEndings: Set<String> = ["bad_token", "token_expired"]

    private static let userCodes: Set<String> = [
        "access_denied", "interaction_required", "login_required", "consent_required", "account_selection_required",
        "mfa_required", "admin_policy_enforced",
    ]

    /// Entra's codes, and Google's for a session that an organization has limited.
    private static let fineUserCodes: Set<String> = [
        "message_only", "additional_action", "basic_action", "user_password_expired", "consent_required",
        "protection_policy_required", "device_authentication_failed", "invalid_rapt", "rapt_required",
    ]

    /// Entra's numbers for Conditional Access, second factors, consent, and users who may not sign in now.
    private static let policyNumbers: Set<Int64> = [
        16000, 50005, 50053, 50055, 50057, 50072, 50074, 50076, 50078, 50079, 50097, 50105, 50127, 50129, 50131, 50144,
        50155,
        50158, 50187, 54000, 65001, 65004, 90094,
    ]

    /// Entra's numbers about the user's device or network; the longer ones are finer.
    private static let deviceNumbers: [ClosedRange<Int64>] = [53000...53099, 530_000...530_999]

    private static let throttleNumbers: Set<Int64> = [50196, 90055]

    private static let throttleCodes: Set<String> = [
        "slow_down", "too_many_requests", "rate_limited", "ratelimited", "rate_limit_exceeded",
    ]

    /// Codes for other causes: no text beside them is read as the grant's end.
    private static let otherCauses: Set<String> = [
        "invalid_client", "incorrect_client_credentials", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "authorization_pending",
    ]

    /// Whether a text is one of the codes in words, or says that the refresh token (or, beside a code, the session
    /// behind it) is no longer valid.
    private static func isEnd(_ text: String, hasCode: Bool) -> Bool {
        let words = plain(text)
        if endings.contains(String(words.map { $0 == " " ? "_" : $0 })) || (hasCode && words == "invalid token") {
            return true
        }
        guard !aboutRequest.contains(where: words.contains(text:)) else { return false }
        let subjects = ["refresh token"] + (hasCode ? ["session", "authorization grant"] : [])
        return subjects.contains(where: words.contains(text:)) && over.contains(where: words.contains(text:))
    }

    private static let over = [
        "invalid", "expired", "revoked", "not found", "unknown", "not valid", "not active", "inactive",
        "does not exist",
        "already used", "already been used", "reused", "not recognized", "unrecognized",
    ]

    /// Texts about the form of the request rather than its content.
    private static let aboutRequest = [
        "missing", "required", "parameter", "grant type", "unsupported", "not supported", "not allowed",
        "not authorized",
        "not permitted", "endpoint",
    ]

    /// Lower case, with single spaces between words.
    private static func plain(_ text: String) -> String {
        text.lowercased().split { !($0.isLetter || $0.isNumber) }.joined(separator: " ")
    }
}
