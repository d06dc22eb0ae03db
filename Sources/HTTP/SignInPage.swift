// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes

/// The page in the browser when a login's redirect arrives at the loopback listener.
///
/// A page is a constant with at most a few variable words: no script, no link, no external resource, and nothing of the
/// request's URL. Untrusted text passes `DisplayText` and `escapeHTML`.
package struct SignInPage: Sendable {
    /// The picture and colour of a page.
    enum Mood: String {
        case done, no, bad, stray
    }

    /// A row of the small table: what, and its value.
    typealias Fact = (name: String, value: String)

    /// The page's HTTP status.
    package let status: Int

    let mood: Mood
    let title: String
    let text: String
    var facts: [Fact] = []
    var nextStep: (text: String, command: String?)?
    var end = "You can close this tab."

    /// The grant is stored: the only page that says so (RFC 8252, section 8; the code is spent by then).
    /// - Parameters:
    ///   - account: the account's name in tokend.
    ///   - identity: the user according to the provider: an e-mail address or a user name.
    ///   - provider: the provider's host.
    package static func signedIn(account: String, identity: String? = nil, provider: String? = nil) -> SignInPage {
        var page = SignInPage(
            status: 200,
            mood: .done,
            title: "You are signed in",
            text: "The applications that use this account can go on now."
        )
        page.facts = facts(account: account, identity: identity, provider: provider)
        page.end = "You can close this tab and go back to what you were doing."
        return page
    }

    /// The browser returns from the provider's own logout (OpenID Connect RP-Initiated Logout, section 3); the grant
    /// was already gone.
    package static func signedOut(account: String, provider: String? = nil) -> SignInPage {
        var page = SignInPage(
            status: 200,
            mood: .done,
            title: "You are signed out",
            text: "This computer has no token of this account any more, and you are signed out at the provider."
        )
        page.facts = facts(account: account, identity: nil, provider: provider)
        return page
    }

    /// The user, or the provider on their behalf, refused (`access_denied`; RFC 6749, section 4.1.2.1).
    package static func denied(account: String, provider: String? = nil) -> SignInPage {
        var page = SignInPage(
            status: 200,
            mood: .no,
            title: "Sign-in was declined",
            text: "Access was not granted, and nothing was changed. If that was what you wanted, you are done."
        )
        page.facts = facts(account: account, identity: nil, provider: provider)
        page.nextStep = ("If you change your mind, sign in again:", "tokenctl login \(commandWord(account))")
        return page
    }

    /// The login ended without a grant.
    /// - Parameters:
    ///   - reason: one sentence that says why, without a secret.
    ///   - nextStep: one sentence that says what the user can do.
    ///   - command: a command line to copy, if one helps.
    package static func failed(
        account: String,
        reason: String,
        nextStep: String,
        command: String? = nil,
        provider: String? = nil
    ) -> SignInPage {
        var page = SignInPage(status: 200, mood: .bad, title: "Sign-in did not work", text: reason)
        page.facts = facts(account: account, identity: nil, provider: provider)
        page.nextStep = (nextStep, command)
        return page
    }

    /// A request that belongs to no login, or no longer does; it has changed nothing.
    /// - Parameter status: 400 for a wrong parameter, 404 for another path, 405 for another method, 421 for another
    ///   `Host`.
    package static func notPartOfLogin(status: Int = 400) -> SignInPage {
        SignInPage(
            status: status,
            mood: .stray,
            title: "This link is not part of a sign-in",
            text: "It may be from a sign-in that has ended, or it was opened twice. Nothing was changed, "
                + "and a sign-in that you have begun goes on."
        )
    }

    /// The page as an answer, with headers that keep it out of caches, frames and referrers.
    package var response: HTTPResponse {
        var headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Content-Security-Policy":
                "default-src 'none'; style-src \(SignInStyle.source); img-src data:; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'",
        ]
        if status == 405 {
            headers["Allow"] = "GET"
        }
        return HTTPResponse(status: status, headers: headers, body: Array(html.utf8))
    }

    private static func facts(account: String, identity: String?, provider: String?) -> [Fact] {
        let all = [("Account", account), ("Signed in as", identity), ("Provider", provider)]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// An account's name in a command line; valid names need no quoting, so others are omitted.
    private static func commandWord(_ account: String) -> String {
        let plain = account.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
                UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
        return plain ? account : "ACCOUNT"
    }
}
