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
        let (token, end) =
            try conversation.invocation.has("--id-token") ? conversation.idToken(params) : accessToken(params)
        conversation.console.printJSON(.object(credential.answer(token: token, expiresAt: end)))
        return ExitCode.success
    }

    private func accessToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        let token = try conversation.token(params)
        return (token.text, token.expiresAt)
    }
}
