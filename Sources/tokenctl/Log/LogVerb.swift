// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Systemd
import TokendProtocol

/// `tokenctl log`: who had which token and when, and who was refused, from the journal.
struct LogVerb {
    private static let most = 10_000
    private let conversation: Conversation
    private var invocation: Invocation { conversation.invocation }
    private var console: Console { conversation.console }

    init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    func run() throws(TokenctlError) -> Int32 {
        let since = try invocation.value("--since").map { text throws(TokenctlError) in
            conversation.now - (try Seconds.required(text, for: "--since"))
        }
        let entries = try read(since).filter {
            $0.matches(account: invocation.account, client: invocation.value("--client"))
        }
        let document: JSONObject = ["entries": .array(entries.map(\.json))]
        conversation.finish(document) {
            guard !entries.isEmpty else { return sayNothingFound() }
            let rows = entries.map { entry in
                [LocalTime.text(entry.at) ?? "?", entry.account ?? "", entry.client, entry.words]
                    .map { Table.Cell(TerminalText.sanitized($0)) }
            }
            Table(header: ["TIME", "ACCOUNT", "CLIENT", "WHAT"], shrinkOrder: [2])
                .lines(rows, width: console.traits.width, palette: console.traits.outputPalette)
                .forEach(console.print)
        }
        return ExitCode.success
    }

    /// A daemon that a person started by hand writes elsewhere.
    private func sayNothingFound() {
        console.say("The journal has nothing of that.")
        guard let status = try? conversation.ask(Status.self, Status.Parameters(), timeout: .seconds(5)),
            status["daemon"]?.object?["log"] == "stderr"
        else { return }
        console.say("The tokend that runs was not started by systemd: its log is where it was started.")
        console.sayNext(["systemctl --user enable --now tokend.socket, once that one has ended"])
    }

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
