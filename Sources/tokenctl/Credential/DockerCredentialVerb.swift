// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl credential docker`: a docker-credential-helpers helper. Docker reads errors from stdout.
    package static let credentialDocker = Verb(
        "credential docker",
        operands: [.word("ACTION", of: ["get", "store", "erase", "list"]).required],
        flags: .of(.account.help("whose token; else the account whose provider is that host"), .username),
        hasResult: false,
        summary: "give docker its password",
        details: [
            "ACTION: get, store, erase or list.",
            "docker and podman run this under the name docker-credential-tokend; in",
            "~/.docker/config.json: { \"credHelpers\": { \"registry.gitlab.com\": \"tokend\" } }",
            "A link to it named docker-credential-tokend-work is that of the account work.",
        ],
        examples: ["tokenctl credential docker get"]
    ) { context throws(TokenctlError) in
        DockerCredentialVerb(context: context).run()
    }
}

/// Implements `credential docker`.
private struct DockerCredentialVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }
    private var console: Console { context.console }

    /// Docker recognises this sentence and continues without a credential.
    private static let notFound = "credentials not found in native keychain"

    func run() -> Int32 {
        do throws(TokenctlError) {
            return try perform(invocation.operands[0])
        } catch {
            console.print(ErrorText.line(context.told(error)))
            return 1
        }
    }

    private func perform(_ action: String) throws(TokenctlError) -> Int32 {
        switch action {
        case "get": return try get()
        case "list": try list()
        case "version": console.print("docker-credential-tokend (tokenctl) \(Program.version)")
        // `docker logout` removes docker's own copy, and there is none.
        case "erase": break
        case "store":
            throw TokenctlError(.input, exitCode: 1, "tokend keeps no passwords", next: ["tokenctl login ACCOUNT"])
        default: throw .usage("Unknown credential action `\(TerminalText.sanitized(action, limit: 60))`")
        }
        return ExitCode.success
    }

    private func get() throws(TokenctlError) -> Int32 {
        let bytes: [UInt8]
        do throws(InputFault) {
            bytes = try console.readAll(limit: 64 * 1024)
        } catch {
            throw .unreadable("the server's URL from stdin", error)
        }
        let server = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined()
        guard !server.isEmpty else {
            throw TokenctlError(.input, exitCode: ExitCode.dataError, "no credentials server URL")
        }
        guard let host = CredentialHost(server.contains(text: "://") ? server : "https://" + server),
            let account = try context.account(for: host)
        else {
            console.print(Self.notFound)
            return 1
        }
        var params = TokenGet.Parameters(account: account)
        params.application = "docker"
        let token = try context.token(params)
        let name = invocation[.username] ?? host.userName
        let answer: JSONObject = [
            "ServerURL": .string(server), "Username": .string(name), "Secret": .string(token.text),
        ]
        console.print(String(decoding: JSONWriter.bytes(.object(answer)), as: UTF8.self))
        return ExitCode.success
    }

    /// The providers with tokens, by URL.
    private func list() throws(TokenctlError) {
        let status = try context.ask(Status.self, Status.Parameters(account: invocation.account))
        var answer: JSONObject = [:]
        for account in status.accounts {
            guard AccountView(account).isUsable(at: context.now), let host = CredentialHost(account.issuer) else {
                continue
            }
            answer[host.origin] = .string(host.userName)
        }
        console.print(String(decoding: JSONWriter.bytes(.object(answer)), as: UTF8.self))
    }
}
