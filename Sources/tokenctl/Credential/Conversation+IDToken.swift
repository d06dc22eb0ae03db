// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Conversation {
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
