// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import TokendProtocol

/// What a sign-in's result (`login.wait`, `account.import`) means, in sentences. Pure.
package struct Welcome: Sendable {
    private let result: LoginResult
    private let isOwn: Bool

    /// `isOwn`: the client got a token for itself, and nobody signed in.
    package init(_ result: LoginResult, isOwn: Bool = false) {
        self.result = result
        self.isOwn = isOwn
    }

    /// What to say about the account.
    package func lines(_ account: String, now: Int64) -> [String] {
        if isOwn { return ["\(TerminalText.sanitized(account)) has a token; it fetches the next ones by itself."] }
        let who = (result.identity ?? result.subject).map { " as \(TerminalText.sanitized($0))" }
        var lines = ["Signed in to \(TerminalText.sanitized(account))\(who ?? "")."]
        if !result.renewable {
            let end = result.expiresAt.map { TimePhrase.relative($0, to: now) }
            lines.append(
                "The provider gave no refresh token: the sign-in ends \(end ?? "when the provider says so"); "
                    + "ask for it with the scope offline_access."
            )
        }
        return lines
    }
}
