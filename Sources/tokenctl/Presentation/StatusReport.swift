// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import TokendProtocol

/// A `status` result as lines for people. Pure.
package struct StatusReport: Sendable {
    private let accounts: [AccountView]
    private let daemon: DaemonStatus
    private let now: Int64
    private let detailed: Bool

    /// `detailed`: one account was asked for by name; everything about it is shown.
    package init(_ result: Status.Result, now: Int64, detailed: Bool) {
        accounts = result.accounts.map(AccountView.init)
        daemon = result.daemon
        self.now = now
        self.detailed = detailed
    }

    /// 0 only where every listed account is usable.
    package var exitCode: Int32 {
        accounts.allSatisfy { $0.isUsable(at: now) } ? ExitCode.success : ExitCode.notUsable
    }

    /// The table, the faults with their next steps, and what is wrong with the daemon's surroundings.
    ///
    /// - Parameters:
    ///   - width: of sentences.
    ///   - tableWidth: of the table; nil: as wide as sentences.
    ///   - height: the lines of the screen, which has the accounts in groups if it is too small for a line each; nil: it
    ///     has no end.
    package func lines(width: Int, palette: Palette, tableWidth: Int? = nil, height: Int? = nil) -> [String] {
        let whole = whole(width: width, tableWidth: tableWidth ?? width, palette: palette)
        guard let height, whole.count >= height, accounts.count > 1 else { return whole }
        return StatusGroups(accounts, at: now).lines(width: width, palette: palette)
            + troubles(width: width, palette: palette)
    }

    private func whole(width: Int, tableWidth: Int, palette: Palette) -> [String] {
        let body =
            accounts.isEmpty
            ? emptiness(width: width, palette: palette) : table(width: width, tableWidth: tableWidth, palette: palette)
        return body + troubles(width: width, palette: palette)
    }

    private func troubles(width: Int, palette: Palette) -> [String] {
        var lines: [String] = []
        for trouble in surroundings() { lines += [""] + note(trouble, width: width, palette: palette, indent: "") }
        return lines
    }

    private func emptiness(width: Int, palette: Palette) -> [String] {
        guard daemon.configFaults.isEmpty else { return ["No account can be used."] }
        return ["No account yet. Make one and sign in:"]
            + NextStep(Advice.addAnAccount()).lines(width: width, palette: palette)
    }

    private func table(width: Int, tableWidth: Int, palette: Palette) -> [String] {
        let table = Table(
            header: ["ACCOUNT", "STATE", "TOKEN ENDS", "NEXT REFRESH", "SIGNED IN AS"],
            shrinkOrder: [4, 0, 1]
        )
        var rows = table.lines(accounts.map { $0.row(at: now) }, width: tableWidth, palette: palette)[...]
        var lines = [rows.removeFirst()]
        for (account, row) in zip(accounts, rows) {
            lines.append(row)
            if detailed { lines += details(account, width: width, palette: palette) }
            let faults = account.faults(at: now)
            for fault in faults.dropLast() { lines += note((fault, []), width: width, palette: palette, indent: "  ") }
            if faults.last != nil || account.next != nil {
                let next = account.next.map { [$0] } ?? []
                lines += note((faults.last, next), width: width, palette: palette, indent: "  ")
            }
        }
        return lines
    }

    private func details(_ account: AccountView, width: Int, palette: Palette) -> [String] {
        account.details(at: now).flatMap { name, value in
            let label = "  " + name + String(repeating: " ", count: 14 - name.count)
            let wrapped = DisplayWidth.wrap(value, width: width - 16)
            return wrapped.enumerated().map { index, line in
                (index == 0 ? palette.paint(label, .quiet) : String(repeating: " ", count: 16)) + line
            }
        }
    }

    private var storeSentence: String {
        let reason = daemon.storeMessage.map { ": " + TerminalText.sanitized($0, limit: 600) } ?? "."
        return "Nobody can sign in, because the secret store cannot be used" + reason
    }

    /// What is wrong around the accounts, each with what to do about it.
    private func surroundings() -> [(String?, [String])] {
        let told = accounts.compactMap(\.faultMessage)
        var troubles: [(String?, [String])] = daemon.configFaults.map(ConfigFault.init)
            .filter { fault in !told.contains { fault.line.hasSuffix($0) } }
            .map { ($0.line, $0.step(isService: LogPlace(daemon) == nil).map { [$0] } ?? []) }
        switch (StoreKind(rawValue: daemon.storeKind), daemon.storeState) {
        case (_, .locked) where accounts.contains(where: { $0.next == "tokenctl unlock" }): break
        case (_, .locked): troubles.append(("The secret store is locked.", ["tokenctl unlock"]))
        case (.file, .unavailable):
            troubles.append((storeSentence, ["tokenctl doctor"]))
        case (_, .unavailable):
            let isFrozen = daemon.isStoreFrozen == true
            troubles.append((storeSentence, Advice.storeSteps(of: daemon.storeProvider, isFrozen: isFrozen)))
        case (.memory, _):
            troubles.append(("Sign-ins are kept in memory only (store: memory); they end with the daemon.", []))
        default: break
        }
        return troubles
    }

    private func note(
        _ trouble: (String?, [String]),
        width: Int,
        palette: Palette,
        indent: String
    ) -> [String] {
        var (sentence, steps) = (trouble.0 ?? "", trouble.1)
        for step in steps where sentence.contains(text: step) {
            // The daemon's sentence has it already: it is told once, where it can be copied.
            if sentence.hasSuffix(": " + step) {
                sentence.removeLast(step.count + 1)
            } else {
                steps.removeAll { $0 == step }
            }
        }
        let text = DisplayWidth.wrap(words: Sentence.words(sentence), width: width - indent.count).map { indent + $0 }
        return text + steps.flatMap { NextStep($0).lines(width: width, palette: palette, indent: indent) }
    }
}
