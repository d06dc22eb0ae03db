// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import TokendProtocol

/// The host for which another tool needs a credential, and the accounts whose tokens may be sent there. Pure.
///
/// A token goes to the host that issued it. For any other host the user must name the account with `--account`:
/// otherwise any repository's URL could make the helper hand out a token.
package struct CredentialHost: Sendable, Equatable {
    private let url: WebURL

    /// An `https` URL, or an `http` one of this machine itself; nil for any other, which never gets a token.
    package init?(_ text: String) {
        guard let url = try? WebURL(text), url.scheme == "https" || (url.scheme == "http" && url.isLoopback) else {
            return nil
        }
        self.url = url
    }

    /// The same from the parts before and after `://`, if the latter is only a host and optionally a port; nil
    /// otherwise.
    package init?(scheme: String, authority: String) {
        let isAlone = authority.utf8.allSatisfy { !"/?#".utf8.contains($0) }
        guard isAlone, scheme == "https" || scheme == "http" else { return nil }
        self.init("\(scheme)://\(authority)")
    }

    /// Scheme, host and port.
    package var origin: String { url.origin }

    /// The host without its port.
    package var name: String { url.host }

    /// The accounts of this provider; of several, the one that `user` signed in to, if that is unique.
    package func accounts(in accounts: [AccountStatus], user: String? = nil) -> [String] {
        let ours = accounts.filter { (try? WebURL($0.issuer)).map(isSite(of:)) ?? false }
        let users = ours.filter { $0.identity == user && user != nil }
        return (users.count == 1 ? users : ours).map(\.account)
    }

    /// The provider itself, or its registry for containers (`registry.gitlab.com` of `gitlab.com`).
    private func isSite(of issuer: WebURL) -> Bool {
        guard url.scheme == issuer.scheme, url.effectivePort == issuer.effectivePort else { return false }
        return url.host == issuer.host || url.host == "registry." + issuer.host
    }

    /// The user name for an OAuth token there; most sites accept any.
    package var userName: String {
        if name == "bitbucket.org" { return "x-token-auth" }
        if name == "gcr.io" || name.hasSuffix(".gcr.io") || name.hasSuffix(".pkg.dev") { return "oauth2accesstoken" }
        return "oauth2"
    }
}

extension CommandContext {
    /// The account whose token may be sent there: `--account`, else the provider's own; nil if there is none.
    func account(for host: CredentialHost, user: String? = nil) throws(TokenctlError) -> String? {
        if let named = invocation.account { return named }
        let names = host.accounts(in: try ask(Status.self, Status.Parameters(account: nil)).accounts, user: user)
        guard names.count > 1 else { return names.first }
        let shown = names.map { TerminalText.sanitized($0) }
        throw TokenctlError(
            .accountUnknown,
            exitCode: ExitCode.usage,
            "\(names.count) accounts are of \(host.name): \(shown.joined(separator: ", "))",
            next: ["name one: --account \(ShellWord.quoted(shown[0]))"]
        )
    }
}
