// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What an account's `dialect`, mostly a preset's, must say because a provider breaks the standards in a way that
/// cannot be told from a fault. Nothing of it is ever guessed.
package struct ProviderDialect: Sendable, Hashable {
    /// Names that stand for `Bearer` in `token_type` (eBay: `User Access Token`), in any case.
    package var bearerNames: Set<String> = []

    /// Whether an answer without `token_type` is taken for a bearer token (Mailchimp).
    package var missingTypeIsBearer = false

    /// Whether `expires_in: 0` means that the token does not end (Mailchimp).
    package var zeroLifetimeIsUnlimited = false

    /// Whether a large `expires_in` is in milliseconds (older Zoho).
    package var lifetimeIsInMilliseconds = false

    /// Whether `access_denied` at the token endpoint means a wrong client secret (Atlassian).
    package var accessDeniedMeansWrongSecret = false

    /// The parameter of the authorization request that scopes go into (Slack: `user_scope`).
    package var scopeParameter = "scope"

    /// What stands between scopes there (Slack: a comma).
    package var scopeSeparator = " "

    /// The parameter of the device authorization request that scopes go into (Twitch: `scopes`).
    package var deviceScopeParameter = "scope"

    /// Whether scopes choose the resource that a token is for, one a token, whose answer covers all that was consented
    /// to of it (Entra, which refuses RFC 8707's `resource`).
    package var scopesChooseResource = false

    /// Whether a refresh wants the `redirect_uri` of the login once more (GitLab).
    package var refreshSendsRedirectURI = false

    /// A provider that keeps to the standards.
    package init() {}
}
