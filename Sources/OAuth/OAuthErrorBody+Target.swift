// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension OAuthErrorBody {
    /// Whether it is about the scope or the resource that was asked for, and not about the client or the grant
    /// (RFC 6749, section 5.2; RFC 8707, section 2).
    package var isAboutTarget: Bool {
        ["invalid_scope", "invalid_target"].contains(code)
    }

    /// Whether the provider does not accept the client, or how it authenticates.
    package var refusesClient: Bool {
        ["invalid_client", "unauthorized_client", "incorrect_client_credentials"].contains(code) || deniesClient
    }

    /// Whether it is about the client, or there is no token endpoint at this place: no other request would fare better.
    package var isAboutClient: Bool {
        refusesClient || code == "unsupported_grant_type" || status == 404 || status == 405 || status == 410
    }

    /// Whether it may be about the grant, in words that are not known: the same said again and again means that only the
    /// user can help. What says nothing at all never does, and what certainly is about the client does not.
    package var mayMeanGrant: Bool {
        guard let status, (400..<500).contains(status), !error.isEmpty || description != nil else { return false }
        return !isAboutClient || (code == "unauthorized_client" && status != 404 && status != 405 && status != 410)
    }

    /// Whether an error after which only a sign-in helps is the whole grant's, and not that of the one scope or resource
    /// that was asked for: Entra says `invalid_grant` of a resource that nobody has consented to, or that wants
    /// a second factor, while the refresh token stays good for others.
    package var endsWholeGrant: Bool {
        guard wantsUser else { return true }
        return code == "login_required" || suberror?.lowercased() == "user_password_expired"
    }
}
