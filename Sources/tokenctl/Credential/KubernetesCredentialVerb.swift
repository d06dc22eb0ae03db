// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl credential kubernetes`: a credential plugin for kubectl.
    package static let credentialKubernetes = Verb(
        "credential kubernetes",
        flags: .of(.account, .idToken),
        hasResult: false,
        summary: "give kubectl its token",
        details: [
            "Prints an ExecCredential (v1); tokenctl setup kubectl has kubectl run this."
        ],
        examples: ["tokenctl credential kubernetes --account work --id-token"]
    ) { context throws(TokenctlError) in
        try KubernetesCredentialVerb(context: context).run()
    }
}

extension Flag<Bool> {
    static var idToken: Flag { Flag("--id-token", "give the ID token, as clusters with OpenID Connect want it") }
}

/// Implements `credential kubernetes`.
private struct KubernetesCredentialVerb {
    let context: CommandContext

    func run() throws(TokenctlError) -> Int32 {
        let credential = try ExecCredential(info: context.world.environment["KUBERNETES_EXEC_INFO"])
        var params = TokenGet.Parameters(account: context.invocation.account)
        params.application = "kubectl"
        let (token, end) =
            try context[.idToken] ? context.idToken(params) : accessToken(params)
        context.console.printJSON(.object(credential.answer(token: token, expiresAt: end)))
        return ExitCode.success
    }

    private func accessToken(_ params: TokenGet.Parameters) throws(TokenctlError) -> (String, Int64?) {
        let token = try context.token(params)
        return (token.text, token.expiresAt)
    }
}
