// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// An account's `dialect`, usually from a preset: deviations from the standards that cannot be distinguished from
/// faults. None is ever guessed.
package struct ProviderDialect: Sendable, Hashable {
    /// Names in place of `Bearer` in `token_type` (eBay: `User Access Token`), in any case.
    package var bearerNames: Set<String> = []

    /// Whether an answer without `token_type` counts as a bearer token (Mailchimp).
    package var missingTypeIsBearer = false

    /// Whether `expires_in: 0` means that the token does not end (Mailchimp).
    package var zeroLifetimeIsUnlimited = false

    /// Whether a large `expires_in` is in milliseconds (older Zoho).
    package var lifetimeIsInMilliseconds = false

    /// Whether `access_denied` at the token endpoint means a wrong client secret (Atlassian).
    package var accessDeniedMeansWrongSecret = false

    /// The authorization request's parameter for scopes (Slack: `user_scope`).
    package var scopeParameter = "scope"

    /// The separator of scopes there (Slack: a comma).
    package var scopeSeparator = " "

    /// The device authorization request's parameter for scopes (Twitch: `scopes`).
    package var deviceScopeParameter = "scope"

    /// Whether scopes choose the token's resource, one per token, and the answer covers all of it that was consented to
    /// (Entra, which refuses RFC 8707's `resource`).
    package var scopesChooseResource = false

    /// Whether a refresh requires the login's `redirect_uri` (GitLab).
    package var refreshSendsRedirectURI = false

    /// A provider that follows the standards.
    package init() {}
}
