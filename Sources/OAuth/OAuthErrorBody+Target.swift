// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension OAuthErrorBody {
    /// Whether it concerns the requested scope or resource, not the client or the grant (RFC 6749, section 5.2; RFC
    /// 8707, section 2).
    package var isAboutTarget: Bool {
        ["invalid_scope", "invalid_target"].contains(code)
    }

    /// Whether the provider refuses the client, or its authentication.
    package var refusesClient: Bool {
        ["invalid_client", "unauthorized_client", "incorrect_client_credentials"].contains(code) || deniesClient
    }

    /// Whether it concerns the client, or there is no token endpoint at this URL: any other request would fail as well.
    package var isAboutClient: Bool {
        refusesClient || code == "unsupported_grant_type" || status == 404 || status == 405 || status == 410
    }

    /// Whether it may concern the grant, with an unknown code: if it is repeated, only the user can help. An answer
    /// without any error does not count, nor does one that certainly concerns the client.
    package var mayMeanGrant: Bool {
        guard let status, (400..<500).contains(status), !error.isEmpty || description != nil else { return false }
        return !isAboutClient || (code == "unauthorized_client" && status != 404 && status != 405 && status != 410)
    }

    /// Whether an error that requires a sign-in concerns the whole grant, and not only the requested scope or resource:
    /// Entra sends `invalid_grant` for a resource without consent, or with a second factor, while the refresh token
    /// stays valid for others.
    package var endsWholeGrant: Bool {
        guard wantsUser else { return true }
        return code == "login_required" || suberror?.lowercased() == "user_password_expired"
    }
}
