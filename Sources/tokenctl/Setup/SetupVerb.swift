// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl setup`: another tool's configuration, written and undone.
    package static let setup = Verb(
        "setup",
        operands: [.word("TOOL", of: SetupTool.allCases.map(\.rawValue)).checked, .account],
        flags: .of(.undo, .host, .smtpHost, .user, .role.help("aws: the role"), .accessToken),
        summary: "have git, docker, kubectl, aws or mail ask here",
        details: [
            "TOOL: git, docker, kubectl, aws, msmtp, neomutt or mbsync. Adds a few lines",
            "between marks to the tool's own file, and says which; kubectl's is written by",
            "kubectl. Twice changes nothing more, and what is there already stays: where it",
            "is in the way, nothing is written.",
        ],
        examples: [
            "tokenctl setup git work --host git.example.com",
            "tokenctl setup msmtp work --host smtp.example.com",
            "tokenctl setup git work --undo",
        ]
    ) { context throws(TokenctlError) in
        try SetupVerb(context: context).run()
    }
}

extension Flag<Bool> {
    static var undo: Flag { Flag("--undo", "take it out again") }
    static var accessToken: Flag { Flag("--access-token", "kubectl: give the access token, not the ID token") }
}

extension Flag<String> {
    static var host: Flag { Flag("--host", .text("HOST"), "the server: git's, the registry's or the mail's") }
    static var smtpHost: Flag { Flag("--smtp-host", .text("HOST"), "neomutt: the server for outgoing mail") }
    static var user: Flag { Flag("--user", .text("NAME"), "mail: the mailbox's name; whoever is signed in without it") }
}

/// What `setup` does.
private struct SetupVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        let tool = try tool()
        guard tool != .kubectl else {
            try KubectlSetup(context).run(program: SetupInquiry(context: context).program)
            return ExitCode.success
        }
        guard let path = tool.file(environment: context.world.environment) else {
            throw TokenctlError(.input, exitCode: ExitCode.configuration, "there is no home folder: HOME is not set")
        }
        let file = try SetupFile(path)
        if invocation[.undo] {
            try undo(tool, file)
        } else if tool == .docker {
            try addDocker(file)
        } else {
            try add(tool, file)
        }
        return ExitCode.success
    }

    private func tool() throws(TokenctlError) -> SetupTool {
        let names = SetupTool.allCases.map(\.rawValue)
        guard let typed = invocation.operands.first else {
            throw .usage("which tool? There is: \(names.joined(separator: ", "))", next: ["tokenctl setup --help"])
        }
        if let tool = SetupTool(rawValue: typed) { return tool }
        let near = NearestName.of(typed, among: names).map { "; did you mean \($0)?" } ?? ""
        let shown = TerminalText.sanitized(typed, limit: 60)
        throw .usage("setup does not know “\(shown)”\(near)", next: ["tokenctl setup --help"])
    }

    private func add(_ tool: SetupTool, _ file: SetupFile) throws(TokenctlError) {
        let values = try SetupInquiry(context: context).values(tool)
        let recipe = SetupRecipe(tool, values)
        let block = MarkedBlock(account: values.account)
        let rest = try block.removed(from: file.text ?? "") ?? file.text ?? ""
        if let head = recipe.head, rest.split(separator: "\n").contains(where: { Self.words($0) == Self.words(head) }) {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.configuration,
                "\(TerminalText.sanitized(file.path)) has “\(head)” already, so nothing was changed",
                next: ["take that out, or change it yourself: tokenctl setup --help"]
            )
        }
        let hasOurs = !MarkedBlock.accounts(in: file.text ?? "").isEmpty
        let changed = try file.change(to: try block.put(recipe.lines, into: file.text ?? ""), hasOurs: hasOurs)
        report(file, recipe.lines, isChanged: changed)
        if tool == .mbsync, changed {
            context.console.say("mbsync needs a SASL plugin with XOAUTH2 for it; on Debian:")
            context.console.sayNext(["apt install libsasl2-modules-kdexoauth2"])
        }
    }

    private static func words(_ line: some StringProtocol) -> [Substring] {
        String(line).split(whereSeparator: \.isWhitespace).map { Substring($0) }
    }

    private func addDocker(_ file: SetupFile) throws(TokenctlError) {
        guard invocation.account == nil else {
            throw .usage(
                "docker tells its helpers no account: the one whose provider the registry is of is asked",
                next: ["tokenctl help credential docker"]
            )
        }
        let host = try host()
        var settings = try DockerSettings(file.text ?? "")
        if settings.hosts.contains(host) {
            report(file, [], isChanged: false)
        } else {
            let hasOurs = !settings.hosts.isEmpty
            try settings.add(host)
            let isChanged = try file.change(to: settings.text, hasOurs: hasOurs)
            report(file, ["credHelpers: \(host): tokend"], isChanged: isChanged)
        }
    }

    private func host() throws(TokenctlError) -> String {
        guard let host = invocation[.host], SetupRecipe.isPlain(host) else {
            throw .usage("which registry? (--host registry.gitlab.com)")
        }
        return host
    }

    /// The lines of the account that is named, else all of ours.
    private func undo(_ tool: SetupTool, _ file: SetupFile) throws(TokenctlError) {
        var text = file.text ?? ""
        let hasOurs: Bool
        if tool == .docker {
            var settings = try DockerSettings(text)
            let hosts = settings.hosts
            for host in hosts where invocation[.host].map({ $0 == host }) ?? true { settings.remove(host) }
            if settings.hosts != hosts { text = settings.text }
            hasOurs = !settings.hosts.isEmpty
        } else {
            for account in invocation.account.map({ [$0] }) ?? MarkedBlock.accounts(in: text) {
                text = try MarkedBlock(account: account).removed(from: text) ?? text
            }
            hasOurs = !MarkedBlock.accounts(in: text).isEmpty
        }
        let isChanged = text != file.text ?? ""
        let isSame = tool == .docker ? DockerSettings.areSame : MarkedBlock.areSame
        try file.restore(to: text, hasOurs: hasOurs, isSame: isSame)
        let path = TerminalText.sanitized(file.path)
        let others = MarkedBlock.accounts(in: text).map { TerminalText.sanitized($0, limit: 64) }
        let rest = others.isEmpty ? "" : " It has lines of \(others.joined(separator: ", "))."
        context.finish(["file": .string(file.path), "changed": .bool(isChanged)]) {
            context.console.say(isChanged ? "Taken out of \(path)." : "\(path) has nothing of it.\(rest)")
        }
    }

    private func report(_ file: SetupFile, _ lines: [String], isChanged: Bool) {
        let path = TerminalText.sanitized(file.path)
        context.finish(["file": .string(file.path), "changed": .bool(isChanged)]) {
            context.console.say(isChanged ? "Written to \(path):" : "\(path) says so already.")
            guard isChanged else { return }
            for line in lines { context.console.say("  " + line.replacing("\t", with: "    ")) }
        }
    }
}
