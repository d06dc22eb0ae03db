// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// `tokenctl credential kubernetes`: a credential plugin as kubectl's documentation has it.
struct KubernetesCredentialVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let credential = try ExecCredential(info: context.world.environment["KUBERNETES_EXEC_INFO"])
        var params = TokenGet.Parameters(account: context.invocation.account)
        params.application = "kubectl"
        let (token, end) =
            try context.invocation.has("--id-token") ? context.idToken(params) : accessToken(params)
        context.console.printJSON(.object(credential.answer(token: token, expiresAt: end)))
        return ExitCode.success
    }

    private func accessToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        let token = try context.token(params)
        return (token.text, token.expiresAt)
    }
}
