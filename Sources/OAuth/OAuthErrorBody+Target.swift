// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension OAuthErrorBody {
    /// Whether it is about the scope or the resource that was asked for, and not about the client or the grant
    /// (RFC 6749, section 5.2; RFC 8707, section 2).
    package var isAboutTarget: Bool {
        ["invalid_scope", "invalid_target"].contains(error)
    }

    /// Whether it is about the client, or there is no token endpoint at this place: no other request would fare better.
    package var isAboutClient: Bool {
        ["invalid_client", "unauthorized_client", "unsupported_grant_type", "incorrect_client_credentials"]
            .contains(error) || status == 404 || status == 405 || status == 410
    }

    /// Whether an error after which only a sign-in helps is the whole grant's, and not that of the one scope or resource
    /// that was asked for: Entra says `invalid_grant` of a resource that nobody has consented to, or that wants
    /// a second factor, while the refresh token stays good for others.
    package var endsWholeGrant: Bool {
        let isForTarget = [
            "access_denied", "interaction_required", "consent_required", "account_selection_required",
        ]
        let isForTargetFinely = ["message_only", "additional_action", "basic_action", "consent_required"]
        return !isForTarget.contains(error) && !(suberror.map(isForTargetFinely.contains) ?? false)
            && !numbers.contains(65001)
    }
}
