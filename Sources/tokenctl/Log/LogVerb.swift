// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl log`: who had which token and when, and who was refused, from the journal.
    package static let log = Verb(
        "log",
        operands: [.account],
        flags: .of(.client, .since),
        summary: "which programs got tokens, or were refused",
        details: [
            "It reads the journal. A program that asks often has one line for each minute.",
            "Where tokenctl asks for another program, that one is named.",
            "Times are local (TZ); with --json they are unix seconds.",
        ],
        examples: ["tokenctl log work --since 1d", "tokenctl log --client mbsync --json"]
    ) { context throws(TokenctlError) in
        try LogVerb(context: context).run()
    }
}

extension Flag<String> {
    static var client: Flag { Flag("--client", .text("TEXT"), "only programs with this in their name") }
}

extension Flag<Int64> {
    static var since: Flag { Flag("--since", time: "no older than this, such as 1h or 7d") }
}

/// What `log` does.
private struct LogVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        let since = try context[.since].map { context.now - $0 }
        let entries = try read(since).filter {
            $0.matches(account: invocation.account, client: invocation[.client])
        }
        let daemon = try daemon(mustKnowAccount: entries.isEmpty)
        let elsewhere = LogPlace(daemon)
        // Without a journal there may be a log all the same.
        if elsewhere == nil { _ = try journalctl() }
        let document: JSONObject = ["entries": .array(entries.map(\.json))]
        context.finish(document) {
            entries.isEmpty ? console.say("No matching log entries.") : show(entries)
            elsewhere?.lines(isInstalled: isInstalled).forEach(console.say)
        }
        return ExitCode.success
    }

    private func show(_ entries: [LogEntry]) {
        let rows = entries.map { entry in
            [LocalTime.text(entry.at) ?? "?", entry.account ?? "", entry.words, entry.program]
                .map { Table.Cell(TerminalText.sanitized($0)) }
        }
        Table(header: ["TIME", "ACCOUNT", "WHAT", "CLIENT"], shrinkOrder: [3], wrapsLast: true)
            .lines(rows, width: console.traits.tableWidth, palette: console.traits.outputPalette)
            .forEach(console.print)
    }

    /// What the daemon says of itself; empty where none runs: the journal is there all the same.
    ///
    /// - Parameter mustKnowAccount: an account of which nothing is written is a mistyped one, unless the daemon has it.
    private func daemon(mustKnowAccount: Bool) throws(TokenctlError) -> DaemonStatus {
        let account = mustKnowAccount ? invocation.account : nil
        do throws(TokenctlError) {
            let status = try context.ask(
                Status.self,
                Status.Parameters(account: account),
                account: account,
                timeout: .seconds(5)
            )
            return status.daemon
        } catch {
            guard error.code == .accountUnknown else { return DaemonStatus() }
            throw error
        }
    }

    private var isInstalled: Bool { LocalExamination(context.world).userUnits()?.isInstalled == true }

    private func journalctl() throws(TokenctlError) -> String { try context.program("journalctl", of: "systemd") }

    /// What a `tokend` of this user wrote; nothing where there is no journal.
    private func read(_ since: Int64?) throws(TokenctlError) -> [LogEntry] {
        guard let journalctl = context.world.findProgram("journalctl") else { return [] }
        let query = JournalQuery(since: since, uid: getuid())
        var output: [UInt8] = []
        var errors: [UInt8] = []
        let program = PipedProgram(
            arguments: SystemText.list([journalctl] + query.arguments),
            environment: context.world.variables
        )
        let code = program.run { source, bytes in
            switch source {
            case .output: output += bytes
            case .errors: errors += bytes
            case .aside: break
            }
        }
        guard code == 0 else {
            let reason = TerminalText.sanitized(String(decoding: errors, as: UTF8.self))
            throw TokenctlError(
                .input,
                exitCode: ExitCode.unavailable,
                "the journal cannot be read" + (reason.isEmpty ? "" : ": \(reason)"),
                next: ["journalctl --user -u tokend"]
            )
        }
        return JournalQuery.entries(output)
    }
}
