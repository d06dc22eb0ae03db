// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl credential kubernetes`: a credential plugin as kubectl's documentation has it.
struct KubernetesCredentialVerb {
    private let conversation: Conversation

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let credential = try ExecCredential(info: conversation.world.environment["KUBERNETES_EXEC_INFO"])
        var params = TokenGet.Parameters(account: conversation.invocation.account)
        params.application = "kubectl"
        let (token, end) = try conversation.invocation.has("--id-token") ? idToken(params) : accessToken(params)
        conversation.console.printJSON(.object(credential.answer(token: token, expiresAt: end)))
        return ExitCode.success
    }

    private func accessToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        let token = try conversation.token(params)
        return (token.text, token.expiresAt)
    }

    /// An ID token that is over is refreshed once; some providers give none at a refresh.
    private func idToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        var params = params
        params.idToken = true
        for _ in 0..<2 {
            let result = try conversation.askOpeningStore(TokenGet.self, params, account: params.account)
            let end = result["id_token_expires_at"]?.int64
            if result["id_token"] != nil, end.map({ $0 > conversation.now + 10 }) ?? true {
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
