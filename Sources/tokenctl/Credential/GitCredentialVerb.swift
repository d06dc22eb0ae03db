// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

extension Verb {
    /// `tokenctl credential git`: a helper as gitcredentials(7) has it.
    package static let credentialGit = Verb(
        "credential git",
        operands: [.word("ACTION", of: ["get", "store", "erase"]).required],
        flags: .of(.account.help("whose token; else the account whose provider is that host"), .username),
        hasResult: false,
        summary: "hand git its password",
        details: [
            "ACTION: get, store or erase.",
            "git runs this itself, also under the name git-credential-tokend. Tokens go",
            "to the account's own provider alone; for any other host, name the account:",
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

/// What `credential git` does.
private struct GitCredentialVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        switch invocation.operands[0] {
        case "get": try getOrQuit(try input())
        case "erase": try erase(try input())
        // Nothing is to be stored: the daemon has it. Other actions a helper has to pass over in silence.
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

    /// Where there is no token to give nothing is written, and git asks its other helpers, then the user.
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

    /// The server has refused a token: where it is still the held one, the next `get` has another.
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
