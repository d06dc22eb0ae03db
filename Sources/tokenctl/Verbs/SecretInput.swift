// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets

/// Takes in one secret: one line of a file or of stdin; never an argument, which every process could read.
struct SecretInput {
    private let console: Console
    private let what: String

    /// `what`: the secret's name for people, such as `the client secret`.
    init(_ console: Console, _ what: String) {
        self.console = console
        self.what = what
    }

    /// The secret in a file; `-` is stdin.
    func read(_ file: String) throws(TokenctlError) -> Secret {
        let (bytes, shown) = try content(of: file)
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
        guard lines.count == 1, let text = String(validating: lines[0], as: UTF8.self) else {
            throw TokenctlError(.input, exitCode: ExitCode.dataError, "\(shown) must hold \(what) on one line, alone")
        }
        return Secret(text.last == "\r" ? String(text.dropLast()) : text)
    }

    /// A secret of several lines in a file, such as a key; `-` is stdin.
    func readWhole(_ file: String) throws(TokenctlError) -> Secret {
        let (bytes, shown) = try content(of: file)
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
            throw TokenctlError(.input, exitCode: ExitCode.dataError, "\(shown) must hold \(what) as text")
        }
        return Secret(text)
    }

    private func content(of file: String) throws(TokenctlError) -> (bytes: [UInt8], shown: String) {
        let limit = 64 * 1024
        let shown = file == "-" ? "stdin" : TerminalText.sanitized(file)
        do throws(InputFault) {
            let bytes = try file == "-" ? console.readAll(limit: limit) : InputFault.readAll(ofFile: file, limit: limit)
            return (bytes, shown)
        } catch {
            throw .unreadable("\(what) from \(shown)", error)
        }
    }

    /// The secret that a user types or pastes; it is not shown.
    func ask(watching interruption: Interruption) throws(TokenctlError) -> Secret {
        let question = "Paste \(what), then Enter (it is not shown):"
        let answer = console.askSecret(question, watching: interruption.descriptor)
        if let signal = interruption.take() { throw .interrupted(by: signal, "interrupted") }
        if case .line(let line) = answer {
            let words = line.reveal().split(whereSeparator: \.isWhitespace)
            if words.count == 1 { return Secret(String(words[0])) }
        }
        throw TokenctlError(.input, exitCode: ExitCode.dataError, "\(what) is one word on one line")
    }
}
