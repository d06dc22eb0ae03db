// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl account edit`: the account's file in the user's editor, then a check.
    package static let accountEdit = Verb(
        "account edit",
        operands: [.account],
        summary: "change an account's file in your editor",
        details: [
            "Opens a copy of the file in $VISUAL or $EDITOR, and checks it when the editor",
            "ends. A copy with faults is not kept: you edit it again, or nothing changes.",
        ],
        examples: ["tokenctl account edit work"]
    ) { context throws(TokenctlError) in
        try AccountEdit(context).run()
    }
}

/// One `account edit`.
private struct AccountEdit {
    private let context: CommandContext
    private let file: String
    private let before: String
    private var console: Console { context.console }

    init(_ context: CommandContext) throws(TokenctlError) {
        self.context = context
        let account = try context.account()
        let path: String
        do throws(TokenctlError) {
            path = try context.ask(AccountShow.self, AccountShow.Parameters(account: account), account: account).file
        } catch {
            // A file with faults is what this is for.
            guard error.code == .configInvalid, let broken = error.details.file else { throw error }
            path = broken
        }
        file = path
        guard let text = try SetupFile(path).text else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.noInput,
                "\(TerminalText.sanitized(path)) is not on this machine"
            )
        }
        before = text
    }

    func run() throws(TokenctlError) -> Int32 {
        var text = before
        while true {
            text = try edited(text)
            guard text != before else {
                context.finish(["file": .string(file), "changed": false]) { console.say("Nothing was changed.") }
                return ExitCode.success
            }
            let faults = try faults(of: text)
            guard !faults.isEmpty else {
                context.finish(["file": .string(file), "changed": true]) {
                    console.say("\(TerminalText.sanitized(file)) is changed, and has no faults.")
                }
                return ExitCode.success
            }
            faults.forEach { console.say($0) }
            guard console.traits.isInteractive, asksAgain() else {
                throw TokenctlError(
                    .configInvalid,
                    exitCode: ErrorKind.configInvalid.exitCode,
                    "the new settings have faults, so \(TerminalText.sanitized(file)) is as it was"
                )
            }
        }
    }

    private func asksAgain() -> Bool {
        guard let line = console.ask("Edit it again? [Y/n]") else { return false }
        return !line.lowercased().hasPrefix("n")
    }

    /// Puts the text there and has the daemon read it; where that finds faults, the file is as it was again.
    private func faults(of text: String) throws(TokenctlError) -> [String] {
        do {
            guard try JSONReader(dialect: .json5).read(text).object != nil else {
                return ["The file must hold one object: { … }"]
            }
        } catch {
            let line = text.utf8.prefix(error.offset).count { $0 == 0x0A } + 1
            return ["Line \(line): \(TerminalText.sanitized(error.message))"]
        }
        try PlainFile(file).write(text)
        let result = try context.ask(ConfigReload.self, NoParameters())
        let faults = result.faults.filter { $0.file == file }.map { ConfigFault($0).line }
        guard !faults.isEmpty else { return [] }
        try PlainFile(file).write(before)
        _ = try context.ask(ConfigReload.self, NoParameters())
        return faults
    }

    /// What the user makes of a text in their editor.
    private func edited(_ text: String) throws(TokenctlError) -> String {
        let folder = context.world.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let name = file.split(separator: "/").last.map(String.init) ?? "account.json5"
        let copy = "\(folder)/tokenctl-\(String(UInt64.random(in: .min ... .max), radix: 36))-\(name)"
        try PlainFile(copy).replace(withSecret: text)
        defer { unlink(copy) }
        let editor = try editor()
        // As git does: the variable is a command line, with flags perhaps.
        let start = ProgramStart(
            arguments: SystemText.list(["/bin/sh", "-c", "\(editor) \"$1\"", "editor", copy]),
            environment: context.world.variables,
            descriptors: [0, 1, 2]
        )
        signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, SIG_DFL) }
        guard let pid = start(), PipedProgram.wait(for: pid) == 0, let new = PlainFile(copy).text else {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.unavailable,
                "the editor (\(TerminalText.sanitized(editor, limit: 200))) failed, so nothing was changed",
                next: ["export EDITOR=nano   (or any other editor)"]
            )
        }
        return new
    }

    private func editor() throws(TokenctlError) -> String {
        for variable in ["VISUAL", "EDITOR"] {
            if let named = context.world.environment[variable], !named.isEmpty { return named }
        }
        for program in ["editor", "nano", "vi"] {
            if let path = context.world.findProgram(program) { return path }
        }
        throw TokenctlError(
            .input,
            exitCode: ExitCode.unavailable,
            "no editor is known here",
            next: ["export EDITOR=nano   (or any other editor)"]
        )
    }
}
