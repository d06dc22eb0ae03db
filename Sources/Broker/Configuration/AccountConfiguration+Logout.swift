// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth

extension AccountConfiguration {
    /// Reads where the provider redirects after its own logout: a page of this machine, since tokend has no other page.
    static func postLogoutRedirect(from reader: inout MemberReader) -> RedirectURI? {
        let name = "post_logout_redirect_uri"
        guard let text = reader.string(name) else { return nil }
        do throws(OAuthError) {
            let redirect = try RedirectURI(text)
            if case .loopback = redirect.kind { return redirect }
            reader.fault(name, "must be on this machine, such as \"http://127.0.0.1/signed-out\"")
        } catch {
            reader.fault(name, error.message)
        }
        return nil
    }
}
