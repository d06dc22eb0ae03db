// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

/// A token that the daemon served, fit for a header, a variable or a line.
struct ServedToken {
    private let result: TokenGet.Result
    /// The token.
    let text: String

    /// Refuses a token that could break out of its line.
    init(_ result: TokenGet.Result) throws(TokenctlError) {
        self.result = result
        text = try Self.text(result.accessToken)
    }

    /// Its account.
    var account: String? { result.account.isEmpty ? nil : result.account }
    /// When it ends, in unix seconds; nil if the provider does not say.
    var expiresAt: Int64? { result.expiresAt }
    /// How it is presented (RFC 6749, section 7.1).
    var type: String { result.tokenType.isEmpty ? "Bearer" : TerminalText.sanitized(result.tokenType) }

    fileprivate static func text(_ token: Secret) throws(TokenctlError) -> String {
        let text = token.reveal()
        guard TokenFormat.isPrintable(text) else {
            throw TokenctlError(
                .providerError,
                exitCode: ExitCode.dataError,
                "the provider's token has characters that no header can carry; see it with: tokenctl token --json"
            )
        }
        return text
    }
}

extension CommandContext {
    /// A token of that account; without one of the default account, or the only one.
    func token(_ params: TokenGet.Parameters) throws(TokenctlError) -> ServedToken {
        try ServedToken(askOpeningStore(TokenGet.self, params, account: params.account).result)
    }

    /// An ID token that holds, and its end in unix seconds. One that is over is refreshed once; some providers give none
    /// at a refresh.
    func idToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        var params = params
        params.idToken = true
        for _ in 0..<2 {
            let result = try askOpeningStore(TokenGet.self, params, account: params.account)
            let end = result.idTokenExpiresAt
            if let token = result.idToken, end.map({ $0 > now + 10 }) ?? true {
                return (try ServedToken.text(token), end)
            }
            params.fresh = true
        }
        let name = TerminalText.sanitized(params.account ?? "ACCOUNT")
        throw TokenctlError(
            .providerError,
            exitCode: ExitCode.dataError,
            "the provider gives no ID token that holds",
            next: ["tokenctl login \(name) --scope openid"]
        )
    }
}
