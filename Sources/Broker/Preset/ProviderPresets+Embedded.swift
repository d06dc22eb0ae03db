// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension ProviderPresets {
    /// The files of `Sources/Broker/Providers`, embedded at build time, so that none can be missing or of another
    /// version.
    static let embedded: [String: ConfigurationSource] = [
        "atlassian": PackageResources.atlassian_json5,
        "auth0": PackageResources.auth0_json5,
        "better-auth": PackageResources.better_auth_json5,
        "bitbucket": PackageResources.bitbucket_json5,
        "cognito": PackageResources.cognito_json5,
        "discord": PackageResources.discord_json5,
        "dropbox": PackageResources.dropbox_json5,
        "egi": PackageResources.egi_json5,
        "entra": PackageResources.entra_json5,
        "fastmail": PackageResources.fastmail_json5,
        "github": PackageResources.github_json5,
        "github-app": PackageResources.github_app_json5,
        "gitlab": PackageResources.gitlab_json5,
        "globus": PackageResources.globus_json5,
        "google": PackageResources.google_json5,
        "indigo-iam": PackageResources.indigo_iam_json5,
        "keycloak": PackageResources.keycloak_json5,
        "microsoft-personal": PackageResources.microsoft_personal_json5,
        "okta": PackageResources.okta_json5,
        "orcid": PackageResources.orcid_json5,
        "salesforce": PackageResources.salesforce_json5,
        "slack": PackageResources.slack_json5,
        "spotify": PackageResources.spotify_json5,
        "twitch": PackageResources.twitch_json5,
        "yahoo": PackageResources.yahoo_json5,
        "zoho": PackageResources.zoho_json5,
        "zoom": PackageResources.zoom_json5,
    ].reduce(into: [:]) { sources, entry in
        sources[entry.key] = ConfigurationSource(file: "the preset “\(entry.key)” of tokend", bytes: entry.value)
    }
}
