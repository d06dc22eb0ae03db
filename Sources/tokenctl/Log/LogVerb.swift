// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Systemd
import TokendProtocol

/// `tokenctl log`: who had which token and when, and who was refused, from the journal.
struct LogVerb {
    private static let most = 10_000
    let context: CommandContext
    private var invocation: Invocation { context.invocation }
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        let since = try invocation.value("--since").map { text throws(TokenctlError) in
            context.now - (try Seconds.required(text, for: "--since"))
        }
        let entries = try read(since).filter {
            $0.matches(account: invocation.account, client: invocation.value("--client"))
        }
        let daemon = try daemon(mustKnowAccount: entries.isEmpty)
        let document: JSONObject = ["entries": .array(entries.map(\.json))]
        context.finish(document) {
            entries.isEmpty ? console.say("The journal has nothing of that.") : show(entries)
            LogPlace(daemon)?.lines(isInstalled: isInstalled).forEach(console.say)
        }
        return ExitCode.success
    }

    private func show(_ entries: [LogEntry]) {
        let rows = entries.map { entry in
            [LocalTime.text(entry.at) ?? "?", entry.account ?? "", entry.words, entry.client]
                .map { Table.Cell(TerminalText.sanitized($0)) }
        }
        Table(header: ["TIME", "ACCOUNT", "WHAT", "CLIENT"], shrinkOrder: [3], wrapsLast: true)
            .lines(rows, width: console.traits.tableWidth, palette: console.traits.outputPalette)
            .forEach(console.print)
    }

    /// What the daemon says of itself; empty where none runs: the journal is there all the same.
    ///
    /// - Parameter mustKnowAccount: an account of which nothing is written is a mistyped one, unless the daemon has it.
    private func daemon(mustKnowAccount: Bool) throws(TokenctlError) -> JSONObject {
        let account = mustKnowAccount ? invocation.account : nil
        do throws(TokenctlError) {
            let status = try context.ask(
                Status.self,
                Status.Parameters(account: account),
                account: account,
                timeout: .seconds(5)
            )
            return status["daemon"]?.object ?? [:]
        } catch {
            guard error.code == .accountUnknown else { return [:] }
            throw error
        }
    }

    private var isInstalled: Bool { LocalExamination(context.world).userUnits()?.isInstalled == true }

    /// What a `tokend` of this user wrote.
    private func read(_ since: Int64?) throws(TokenctlError) -> [LogEntry] {
        do {
            return try JournalReader.entries(
                matching: [
                    ("_UID", String(getuid())), ("_COMM", "tokend"), ("TOKEND_EVENT", "token_served"),
                    ("TOKEND_EVENT", "refused"),
                ],
                reading: LogEntry.fields,
                since: since,
                limit: Self.most
            )
            .compactMap { LogEntry(at: $0.at, $0.fields) }
        } catch {
            throw TokenctlError(
                .input,
                exitCode: ExitCode.unavailable,
                error.message,
                next: ["journalctl --user -u tokend"]
            )
        }
    }
}
