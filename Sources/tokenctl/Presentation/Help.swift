// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension Verb {
    /// `tokenctl help`: the parser answers it.
    package static let help = Verb(
        "help",
        operands: [.word("VERB", of: Verb.firstWords).any],
        hasResult: false,
        summary: "how to use a verb",
        examples: ["tokenctl help login"]
    ) { _ throws(TokenctlError) in
        ExitCode.success
    }
}

/// The help texts, made from the verbs' own descriptions. Pure; nothing is wider than 80 columns.
package enum Help {
    /// The list of verbs.
    package static func overview(palette: Palette) -> [String] {
        var lines = [
            "tokenctl \(palette.paint("VERB [ACCOUNT] [--flags]", .strong)): sign in once, have fresh tokens everywhere",
            "",
        ]
        for section in Verb.sections {
            lines += [palette.paint(section.title + ":", .quiet)] + rows(section.verbs, palette: palette)
        }
        lines += ["", "Begin with:", "  " + palette.paint(Advice.addAnAccount(), .command), ""]
        lines += [
            "tokenctl VERB --help says more and shows an example. --json is for programs."
        ]
        return lines
    }

    /// What somebody sees who typed the program's name alone: it fits a terminal of 24 lines.
    package static func brief(palette: Palette) -> [String] {
        var lines = [
            "tokenctl \(palette.paint("VERB [ACCOUNT] [--flags]", .strong)): sign in once, have fresh tokens everywhere",
            "",
        ]
        for (index, section) in Verb.sections.enumerated() {
            guard index > 0 else {
                lines += [palette.paint(section.title + ":", .quiet)] + rows(section.verbs, palette: palette)
                continue
            }
            let label = section.title + ":"
            let names = DisplayWidth.wrap(words: words(section.verbs), width: 78 - briefColumn)
            for (index, line) in names.enumerated() {
                let padding = String(repeating: " ", count: index == 0 ? briefColumn - label.count : briefColumn)
                lines.append((index == 0 ? palette.paint(label, .quiet) : "") + padding + palette.paint(line, .command))
            }
        }
        return lines + [
            "", "Begin with:", "  " + palette.paint(Advice.addAnAccount(), .command), "",
            "tokenctl help lists all verbs, and tokenctl help VERB explains one.",
        ]
    }

    private static let briefColumn = 18

    /// The verbs' names with commas between; those of one first word say it once.
    private static func words(_ verbs: [Verb]) -> [String] {
        var first = ""
        let names = verbs.map { verb in
            let parts = verb.name.split(separator: " ").map(String.init)
            defer { first = parts[0] }
            return parts.count == 2 && parts[0] == first ? parts[1] : verb.name
        }
        return names.enumerated().map { $1 + ($0 < names.count - 1 ? "," : "") }
    }

    /// A few verbs that belong together, whose first word is the same.
    package static func list(_ verbs: [Verb], palette: Palette) -> [String] {
        let group = verbs.first?.name.prefix { $0 != " " } ?? ""
        let about = about[String(group)].map { ": " + $0 } ?? ""
        return ["tokenctl \(palette.paint("\(group) VERB [--flags]", .strong))\(about)", ""]
            + rows(verbs, palette: palette) + ["", "tokenctl \(group) VERB --help says more and shows an example."]
    }

    private static let about = [
        "account": "your accounts and their settings",
        "credential": "what other tools run when they need a token",
        "policy": "which programs may have tokens",
    ]

    private static func rows(_ verbs: [Verb], palette: Palette) -> [String] {
        let width = 30
        return verbs.map { verb in
            let usage = verb.name + operand(verb) + requiredTail(verb)
            let padding = String(repeating: " ", count: max(2, width - DisplayWidth.of(usage)))
            return "  " + palette.paint(usage, .command) + padding + verb.summary
        }
    }

    /// One verb's help.
    package static func text(_ verb: Verb, palette: Palette) -> [String] {
        let flags = verb.allFlags
        var lines = [
            palette.paint(
                "tokenctl \(verb.name)\(operand(verb))\(flags.isEmpty ? "" : " [--flags]")\(tail(verb))",
                .strong
            ), "",
            sentence(verb.summary),
        ]
        lines += verb.details
        if !flags.isEmpty { lines.append("") }
        let labels = flags.map { [$0.name, $0.value?.text].compactMap { $0 }.joined(separator: " ") }
        let column = (labels.map(\.count).max() ?? 0) + 4
        for (flag, label) in zip(flags, labels) {
            let padding = String(repeating: " ", count: column - label.count - 2)
            let help = DisplayWidth.wrap(flag.help, width: 78 - column)
            lines.append("  " + palette.paint(label, .command) + padding + (help.first ?? ""))
            lines += help.dropFirst().map { String(repeating: " ", count: column) + $0 }
        }
        lines += ["", verb.examples.count == 1 ? "Example:" : "Examples:"]
        lines += verb.examples.map { "  " + palette.paint($0, .command) }
        return lines
    }

    private static func operand(_ verb: Verb) -> String {
        verb.operands.map { $0.isNeeded ? " \($0.placeholder.text)" : " [\($0.placeholder.text)]" }.joined()
    }

    private static func tail(_ verb: Verb) -> String {
        if case .arguments(let what) = verb.tail { " [-- \(what)]" } else { requiredTail(verb) }
    }

    private static func requiredTail(_ verb: Verb) -> String {
        if case .command(let what) = verb.tail { " -- \(what)" } else { "" }
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
