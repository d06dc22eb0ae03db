// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension ProviderPlay {
    /// Every preset, with what is known of the provider's answers.
    static let all: [ProviderPlay] = large + code + own + research + apps

    private static let tenant = "9122040d-6c67-4c5b-b112-36a304b66dad"
    private static let microsoft: JSONObject = [
        "iss": .string("https://login.microsoftonline.com/\(tenant)/v2.0"), "tid": .string(tenant),
    ]

    private static let large: [ProviderPlay] = [
        ProviderPlay(
            name: "google",
            metadata: .real("google"),
            answer: shape("google"),
            refusal: (shape("google_reauth"), 400),
            scope: "openid https://mail.google.com/",
            lifetime: 3599,
            extra: ["refresh_token_expires_in"]
        ),
        ProviderPlay(
            name: "entra",
            set: ["tenant": "common"],
            metadata: .real("entra-common-v2"),
            answer: shape("entra"),
            renewal: shape("entra").with(["refresh_token": "0.AXoB"]),
            refusal: (shape("entra_err"), 400),
            claims: microsoft,
            lifetime: 3599,
            extra: ["ext_expires_in"]
        ),
        ProviderPlay(
            name: "microsoft-personal",
            metadata: .form(authorization: "/authorize", token: "/token"),
            answer: shape("entra").with(["scope": "openid email offline_access"]),
            refusal: (shape("entra_err"), 400),
            claims: [
                "iss": "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
                "tid": "9188040d-6c67-4c5b-b112-36a304b66dad",
            ],
            lifetime: 3599
        ),
        ProviderPlay(
            name: "slack",
            answer: shape("slack"),
            renewal: plain(
                "chat:write,users:read",
                expiresIn: 43_200,
                refresh: "xoxe-2",
                ["ok": true, "token_type": "user"]
            ),
            refusal: (shape("slack_err"), 200),
            scope: "chat:write users:read",
            lifetime: 43_200,
            extra: ["team"]
        ),
        ProviderPlay(
            name: "yahoo",
            metadata: .form(authorization: "/oauth2/request_auth", token: "/oauth2/get_token"),
            answer: plain("openid email", ["xoauth_yahoo_guid": "G"]),
            refusal: ended,
            lifetime: 3600,
            extra: ["xoauth_yahoo_guid"]
        ),
    ]

    /// With status 200; the new interval is in the answer.
    private static let gitHubWaits: [(answer: JSONObject, status: Int)] = [
        (["error": "authorization_pending", "error_description": "The authorization request is still pending."], 200),
        (shape("github_slow_down"), 200),
    ]

    private static let code: [ProviderPlay] = [
        ProviderPlay(
            name: "github",
            answer: ["access_token": "gho_x", "scope": "repo,gist", "token_type": "bearer"],
            refusal: ended,
            scope: "repo gist",
            isRenewable: false,
            pending: gitHubWaits,
            codesAsForm: true
        ),
        ProviderPlay(
            name: "github-app",
            answer: shape("github_app"),
            renewal: shape("github_app").with(["access_token": "ghu_y", "refresh_token": "ghr_y"]),
            refusal: (shape("github_200_error"), 200),
            lifetime: 28_800,
            pending: gitHubWaits
        ),
        ProviderPlay(
            name: "gitlab",
            metadata: .real("gitlab-oauth-authorization-server"),
            answer: shape("gitlab").with(["scope": "openid email"]),
            renewal: shape("gitlab").with(["refresh_token": "8258", "scope": "openid email"]),
            refusal: (shape("gitlab_err"), 400),
            lifetime: 7200,
            extra: ["created_at"]
        ),
        ProviderPlay(
            name: "bitbucket",
            answer: shape("bitbucket"),
            refusal: ended,
            scope: "account repository",
            lifetime: 7200
        ),
        ProviderPlay(
            name: "atlassian",
            answer: plain("read:me offline_access"),
            renewal: plain("read:me offline_access", refresh: "r2"),
            refusal: (["error": "invalid_grant", "error_description": "Unknown or invalid refresh token."], 403),
            lifetime: 3600
        ),
    ]

    private static let own: [ProviderPlay] = [
        ProviderPlay(
            name: "okta",
            set: ["domain": "example.okta.com"],
            metadata: .real("okta-org"),
            answer: plain("openid email offline_access"),
            renewal: plain("openid email offline_access", refresh: "r2"),
            refusal: ended,
            lifetime: 3600
        ),
        ProviderPlay(
            name: "auth0",
            set: ["domain": "contoso.auth0.com"],
            metadata: .real("auth0"),
            answer: plain("openid email offline_access", expiresIn: 86_400),
            refusal: (shape("auth0_403"), 403),
            lifetime: 86_400
        ),
        ProviderPlay(
            name: "keycloak",
            metadata: .form(
                authorization: "/protocol/openid-connect/auth",
                token: "/protocol/openid-connect/token"
            ),
            answer: shape("keycloak_offline"),
            renewal: shape("keycloak_offline").with(["refresh_token": "y2"]),
            refusal: (shape("keycloak_err"), 400),
            scope: "openid offline_access",
            lifetime: 300,
            extra: ["session_state"]
        ),
        ProviderPlay(
            name: "cognito",
            metadata: .form(authorization: "/oauth2/authorize", token: "/oauth2/token"),
            answer: plain("openid email"),
            refusal: ended,
            lifetime: 3600
        ),
        ProviderPlay(
            name: "better-auth",
            metadata: .form(authorization: "/oauth2/authorize", token: "/oauth2/token"),
            answer: shape("better_auth").with(["expires_at": .null]),
            renewal: shape("better_auth").with(["refresh_token": "y2", "expires_at": .null]),
            refusal: ended,
            lifetime: 3600
        ),
    ]

    private static let research: [ProviderPlay] = [
        ProviderPlay(
            name: "egi",
            metadata: .real("egi-checkin-keycloak"),
            answer: shape("keycloak_offline"),
            refusal: (["error": "invalid_grant", "error_description": "Session not active"], 400),
            scope: "openid offline_access",
            lifetime: 300
        ),
        ProviderPlay(
            name: "orcid",
            metadata: .form(authorization: "/oauth/authorize", token: "/oauth/token"),
            answer: shape("orcid").with(["scope": "openid"]),
            refusal: ended,
            claims: ["amr": "pwd"],
            lifetime: 631_138_518,
            extra: ["orcid", "name"]
        ),
        ProviderPlay(
            name: "globus",
            metadata: .real("globus"),
            answer: shape("globus").with(["refresh_token": "ra"]),
            refusal: (["error": "invalid_grant"], 401),
            scope: "openid",
            lifetime: 172_800,
            extra: ["resource_server"]
        ),
        ProviderPlay(
            name: "indigo-iam",
            set: ["issuer": "https://iam.example.org/"],
            metadata: .form(authorization: "authorize", token: "token"),
            answer: plain("openid email offline_access"),
            refusal: ended,
            lifetime: 3600
        ),
    ]

    private static let apps: [ProviderPlay] = [
        ProviderPlay(
            name: "dropbox",
            answer: plain("account_info.read", expiresIn: 14_400, ["uid": "1", "account_id": "dbid:A"]),
            renewal: shape("dropbox_refresh"),
            refusal: ended,
            lifetime: 14_400,
            extra: ["uid", "account_id"]
        ),
        ProviderPlay(
            name: "salesforce",
            metadata: .real("salesforce"),
            answer: shape("salesforce").with(["refresh_token": "5Aep", "scope": "openid api refresh_token"]),
            refusal: (["error": "invalid_grant", "error_description": "expired access/refresh token"], 400),
            extra: ["instance_url"]
        ),
        ProviderPlay(
            name: "zoho",
            answer: shape("zoho").with(["refresh_token": "1000.r"]),
            renewal: shape("zoho_ms").with(["expires_in_sec": .null]),
            refusal: (shape("zoho_200_error"), 200),
            lifetime: 3600,
            extra: ["api_domain"]
        ),
        ProviderPlay(
            name: "discord",
            metadata: .oauthForm(authorization: "/api/oauth2/authorize", token: "/api/oauth2/token"),
            answer: plain("identify", expiresIn: 604_800),
            renewal: plain("identify", expiresIn: 604_800, refresh: "r2"),
            refusal: ended,
            lifetime: 604_800
        ),
        ProviderPlay(
            name: "spotify",
            answer: plain("user-read-email"),
            renewal: plain("user-read-email", refresh: "r2"),
            refusal: ended,
            lifetime: 3600
        ),
        ProviderPlay(
            name: "twitch",
            metadata: .real("twitch"),
            answer: shape("twitch"),
            refusal: (["status": 400, "message": "Invalid refresh token", "error": "invalid_grant"], 400),
            scope: "user:read:email",
            lifetime: 14_124,
            pending: [(["status": 400, "message": "authorization_pending"], 400)]
        ),
        ProviderPlay(name: "zoom", answer: plain("meeting:read"), refusal: ended, lifetime: 3600),
        ProviderPlay(
            name: "fastmail",
            metadata: .oauthForm(authorization: "/oauth/authorize", token: "/oauth/refresh"),
            answer: plain("urn:ietf:params:oauth:scope:mail offline_access"),
            refusal: ended,
            lifetime: 3600
        ),
    ]
}
