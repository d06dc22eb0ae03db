// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTPTypes
import StrictJSON

/// Another program's file, changed and changed back. What it held before our first change is kept beside it.
struct SetupFile {
    let path: String
    /// What it holds; nil where it is not there.
    let text: String?
    private var backup: String { path + ".before-tokend" }

    /// Reads the file of a tool.
    init(_ path: (SetupPlaces) -> String, _ context: CommandContext) throws(TokenctlError) {
        guard let places = SetupPlaces(environment: context.world.environment) else {
            throw TokenctlError(.input, exitCode: ExitCode.configuration, "there is no home folder: HOME is not set")
        }
        try self.init(path(places))
    }

    /// Reads it; one that cannot be read, or is no UTF-8, is refused: it could not be written back as it was.
    init(_ path: String) throws(TokenctlError) {
        self.path = path
        do throws(InputFault) {
            text = try PlainFile(path).content()
        } catch {
            guard access(path, F_OK) != 0 else { throw Self.unreadable(path, error.reason) }
            text = nil
        }
        guard text?.contains(text: "\u{FFFD}") != true else { throw Self.unreadable(path, "it is no UTF-8 text") }
    }

    private static func unreadable(_ path: String, _ reason: String) -> TokenctlError {
        let shown = TerminalText.sanitized(path)
        return TokenctlError(
            .input,
            exitCode: ExitCode.noInput,
            "\(shown) cannot be read, so it is left alone: \(reason)"
        )
    }

    /// Puts the new text there; false where that is what it holds. `hasOurs` says that lines of ours are in it already, so
    /// that it is no longer what it was before them.
    func change(to new: String, hasOurs: Bool) throws(TokenctlError) -> Bool {
        guard new != text else { return false }
        if !hasOurs {
            // A copy that is there is of lines that somebody else took out.
            if let text { try PlainFile(backup).replace(withSecret: text) } else { unlink(backup) }
        }
        try PlainFile(path).write(new)
        return true
    }

    /// Puts the text without our lines there. `hasOurs` says that it has others of ours; with the last ones the copy goes,
    /// and with a file that would be empty and is of our making, the file.
    ///
    /// `isSame` compares what the file held before our first change with that text: where they mean the same it gets its
    /// own bytes back. The result is whether that changed anything.
    func restore(to new: String, hasOurs: Bool, isSame: (String, String) -> Bool) throws(TokenctlError) -> Bool {
        let before = PlainFile(backup).text
        let isChanged = new != text ?? ""
        if isChanged {
            if let before, !hasOurs, isSame(before, new) {
                try PlainFile(path).write(before)
            } else if new.isEmpty, before == nil {
                unlink(path)
            } else {
                try PlainFile(path).write(new)
            }
        }
        if !hasOurs { unlink(backup) }
        return isChanged
    }

    /// Says which lines were written.
    func report(_ lines: [String], isChanged: Bool, _ context: CommandContext) {
        let shown = TerminalText.sanitized(path)
        context.finish(["file": .string(path), "changed": .bool(isChanged)]) {
            context.console.say(isChanged ? "Written to \(shown):" : "\(shown) has these lines already.")
            guard isChanged else { return }
            for line in lines { context.console.say("  " + line.replacing(text: "\t", with: "    ")) }
        }
    }

    /// Says what was taken out. `others`: the accounts whose lines are still there.
    func reportUndone(isChanged: Bool, others: [String] = [], _ context: CommandContext) {
        let shown = TerminalText.sanitized(path)
        let names = others.map { TerminalText.sanitized($0, limit: 64) }.joined(separator: ", ")
        let rest = others.isEmpty ? "" : " It has lines of \(names)."
        context.finish(["file": .string(path), "changed": .bool(isChanged)]) {
            context.console.say(isChanged ? "Removed from \(shown)." : "\(shown) has no such lines.\(rest)")
        }
    }
}
