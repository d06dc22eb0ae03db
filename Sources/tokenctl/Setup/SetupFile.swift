// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Another program's file, changed and changed back. What it held before our first change is kept beside it.
struct SetupFile {
    let path: String
    /// What it holds; nil where it is not there.
    let text: String?
    private var backup: String { path + ".before-tokend" }

    /// Reads it; one that cannot be read, or is no UTF-8, is refused: it could not be written back as it was.
    init(_ path: String) throws(TokenctlError) {
        self.path = path
        do throws(InputFault) {
            text = try PlainFile(path).content()
        } catch {
            guard access(path, F_OK) != 0 else { throw Self.unreadable(path, error.reason) }
            text = nil
        }
        guard text?.contains("\u{FFFD}") != true else { throw Self.unreadable(path, "it is no UTF-8 text") }
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
    /// own bytes back.
    func restore(to new: String, hasOurs: Bool, isSame: (String, String) -> Bool) throws(TokenctlError) {
        let before = PlainFile(backup).text
        if new != text ?? "" {
            if let before, !hasOurs, isSame(before, new) {
                try PlainFile(path).write(before)
            } else if new.isEmpty, before == nil {
                unlink(path)
            } else {
                try PlainFile(path).write(new)
            }
        }
        if !hasOurs { unlink(backup) }
    }
}
