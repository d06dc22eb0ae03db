// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// A token that the daemon served, fit for a header, a variable or a line.
struct ServedToken {
    /// The daemon's whole answer.
    let result: JSONObject
    /// The token.
    let text: String

    /// Refuses a token that could break out of its line.
    init(_ result: JSONObject, member: String = "access_token") throws(TokenctlError) {
        let text = result[member]?.string ?? ""
        guard TokenFormat.isPrintable(text) else {
            throw TokenctlError(
                .providerError,
                exitCode: ExitCode.dataError,
                "the provider's token has characters that no header can carry; see it with: tokenctl token --json"
            )
        }
        self.result = result
        self.text = text
    }

    /// The account that it is of.
    var account: String? { result["account"]?.string }
    /// When it ends, in unix seconds; nil where the provider does not say.
    var expiresAt: Int64? { result["expires_at"]?.int64 }
    /// How it is presented (RFC 6749, section 7.1).
    var type: String { TerminalText.sanitized(result["token_type"]?.string ?? "Bearer") }
}

extension CommandContext {
    /// A token of that account; without one of the default account, or the only one.
    func token(_ params: TokenGet.Parameters) throws(TokenctlError) -> ServedToken {
        try ServedToken(askOpeningStore(TokenGet.self, params, account: params.account))
    }

    /// An ID token that holds, and its end in unix seconds. One that is over is refreshed once; some providers give none
    /// at a refresh.
    func idToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        var params = params
        params.idToken = true
        for _ in 0..<2 {
            let result = try askOpeningStore(TokenGet.self, params, account: params.account)
            let end = result["id_token_expires_at"]?.int64
            if result["id_token"] != nil, end.map({ $0 > now + 10 }) ?? true {
                return (try ServedToken(result, member: "id_token").text, end)
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
