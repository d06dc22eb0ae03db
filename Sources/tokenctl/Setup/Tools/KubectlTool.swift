// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
import TokenClient
import TokendProtocol

/// kubectl: a user in the kubeconfig, written by kubectl itself, whose file may be several, and YAML.
struct KubectlTool: SetupTool {
    let name = "kubectl"
    let kind: ToolKind? = .kubernetes

    func add(_ context: CommandContext) throws(TokenctlError) { try KubectlSetup(context).add() }

    func asks(for account: String, _ context: CommandContext) -> Bool {
        (try? KubectlSetup(context).users())?.ours.contains(account) ?? false
    }

    func undo(_ context: CommandContext) throws(TokenctlError) { try KubectlSetup(context).undo() }
}

/// One run of it.
private struct KubectlSetup {
    private let context: CommandContext
    private let kubectl: String
    private var invocation: Invocation { context.invocation }

    /// - Throws: `input` where there is no kubectl.
    init(_ context: CommandContext) throws(TokenctlError) {
        guard let kubectl = context.world.findProgram("kubectl") else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.unavailable,
                "kubectl writes its file itself, and is not installed here",
                next: ["tokenctl help credential kubernetes"]
            )
        }
        self.context = context
        self.kubectl = kubectl
    }

    func add() throws(TokenctlError) {
        let account = try context.account()
        let status = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        let needs = context.toolNeeds(account, status.accounts.first ?? AccountStatus())
        let takesIDToken = !invocation[.accessToken] && needs?.tool(.kubernetes)?.takesIDToken != false
        let wanted = KubectlUsers.arguments(account: account, idToken: takesIDToken)
        defer { context.tell(needs?.advice(.kubernetes)) }
        let entry = try users()[account]
        switch entry {
        case .ours(wanted): return report(account, isChanged: false)
        case .ours: _ = try output(["config", "delete-user", account])
        case .absent: break
        case .another:
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "kubectl has a user “\(account)” already, so nothing was changed",
                next: ["kubectl config delete-user \(account)   (where that one is no longer needed)"]
            )
        }
        do throws(TokenctlError) {
            _ = try output(KubectlUsers.command(account: account, program: context.ownProgram, arguments: wanted))
        } catch {
            // Before it had that flag, only the form of before asks for nothing that it could set.
            guard error.message.contains(text: "unknown flag") else { throw error }
            _ = try output(KubectlUsers.olderCommand(account: account, program: context.ownProgram, arguments: wanted))
        }
        report(account, isChanged: true)
    }

    private func report(_ account: String, isChanged: Bool) {
        context.finish(["user": .string(account), "changed": .bool(isChanged)]) {
            let console = context.console
            guard isChanged else { return console.say("kubectl has the user \(account) already.") }
            console.say("kubectl has the user \(account) now. To use it in your current context:")
            console.sayNext(["kubectl config set-context --current --user=\(account)"])
        }
    }

    func users() throws(TokenctlError) -> KubectlUsers {
        try KubectlUsers(try output(["config", "view", "--output=json"]))
    }

    /// The user that is named, else all of ours.
    func undo() throws(TokenctlError) {
        let users = try users()
        let ours = users.ours.filter { name in invocation.account.map { $0 == name } ?? true }
        for name in ours { _ = try output(["config", "delete-user", name]) }
        context.finish(["users": .array(ours.map { .string($0) }), "changed": .bool(!ours.isEmpty)]) {
            let names = ours.map { TerminalText.sanitized($0) }.joined(separator: ", ")
            context.console.say(ours.isEmpty ? "kubectl has no such user." : "Removed from kubectl: \(names).")
        }
    }

    /// What kubectl prints.
    private func output(_ arguments: [String]) throws(TokenctlError) -> String {
        var output: [UInt8] = [], errors: [UInt8] = []
        let program = PipedProgram(
            arguments: SystemText.list([kubectl] + arguments),
            environment: context.world.variables
        )
        let code = program.run(until: Deadline(in: .seconds(20))) { source, bytes in
            if source == .output { output += bytes } else { errors += bytes }
        }
        guard code == 0 else {
            let lines = String(decoding: errors, as: UTF8.self).split(separator: "\n").map(String.init)
            let words =
                lines.first { line in
                    ["error", "panic"].contains { line.lowercased().hasPrefix($0) }
                } ?? lines.last
            throw TokenctlError(
                .input,
                exitCode: ExitCode.unavailable,
                "kubectl \(arguments[1]) failed: " + TerminalText.sanitized(words ?? "it ended without a word")
            )
        }
        return String(decoding: output, as: UTF8.self)
    }
}
