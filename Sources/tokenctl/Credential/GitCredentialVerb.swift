// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

extension Verb {
    /// `tokenctl credential git`: a helper for gitcredentials(7).
    package static let credentialGit = Verb(
        "credential git",
        operands: [.word("ACTION", of: ["get", "store", "erase"]).required],
        flags: .of(.account.help("whose token; else the account whose provider is that host"), .username),
        hasResult: false,
        summary: "give git its password",
        details: [
            "ACTION: get, store or erase.",
            "git runs this itself, also under the name git-credential-tokend. Tokens go",
            "only to the account's own provider. For any other host, name the account:",
            "  git config --global credential.https://git.example.com.helper \\",
            "    '!tokenctl credential git --account work'",
        ],
        examples: ["tokenctl credential git get"]
    ) { context throws(TokenctlError) in
        try GitCredentialVerb(context: context).run()
    }
}

extension Flag<String> {
    static var username: Flag { Flag("--username", .text("NAME"), "the name that goes with the token") }
}

/// Implements `credential git`.
private struct GitCredentialVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        switch invocation.operands[0] {
        case "get": try getOrQuit(try input())
        case "erase": try erase(try input())
        // Nothing to store: the daemon has it. A helper must ignore other actions silently.
        default: break
        }
        return ExitCode.success
    }

    private func input() throws(TokenctlError) -> GitCredential {
        do throws(InputFault) {
            return GitCredential(String(decoding: try context.console.readAll(limit: 1024 * 1024), as: UTF8.self))
        } catch {
            throw .unreadable("what git says on stdin", error)
        }
    }

    /// If an account was named and has no token, this fails instead of letting git ask for a password.
    private func getOrQuit(_ wanted: GitCredential) throws(TokenctlError) {
        do throws(TokenctlError) {
            try get(wanted)
        } catch {
            if invocation.account != nil { context.console.print("quit=1") }
            throw error
        }
    }

    /// Without a token it writes nothing, and git asks its other helpers, then the user.
    private func get(_ wanted: GitCredential) throws(TokenctlError) {
        guard let host = wanted.host, let form = wanted.form else { return }
        guard let account = try context.account(for: host, user: wanted["username"]) else { return }
        var params = TokenGet.Parameters(account: account)
        params.application = "git"
        let token = try context.token(params)
        GitCredential.answer(
            form,
            token: token.text,
            user: invocation[.username] ?? wanted["username"] ?? host.userName,
            expiresAt: token.expiresAt
        ).forEach(context.console.print)
    }

    /// The server has refused a token: if it is still the held one, the next `get` gets another.
    private func erase(_ refused: GitCredential) throws(TokenctlError) {
        guard let token = refused["password"] ?? refused["credential"], !token.isEmpty, let host = refused.host,
            let account = try context.account(for: host, user: refused["username"])
        else { return }
        var params = TokenGet.Parameters(account: account)
        params.rejected = Secret(token)
        params.application = "git"
        _ = try context.ask(TokenGet.self, params, account: account)
    }
}
