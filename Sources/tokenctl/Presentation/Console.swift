// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
package import Secrets

/// Where `tokenctl` reads and writes: data on one descriptor, talk on the other. The caller keeps the descriptors.
package final class Console {
    private let input: Int32
    private let output: Int32
    private let error: Int32
    /// What the descriptors are.
    package let traits: TerminalTraits
    private var spinnerShown = false
    private var readAhead: [UInt8] = []
    private var typing: TypedLine?
    /// Set where data could not be written; then success would be a lie.
    package private(set) var outputFailed = false

    /// Takes the descriptors without owning them.
    package init(input: Int32 = 0, output: Int32 = 1, error: Int32 = 2, traits: TerminalTraits) {
        self.input = input
        self.output = output
        self.error = error
        self.traits = traits
    }

    /// Writes a line of data.
    package func print(_ line: String) {
        write(line + "\n")
    }

    /// Writes data as it stands.
    package func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes data that is no text of ours.
    package func write(_ bytes: [UInt8]) {
        clearSpinner()
        if !DescriptorOutput.writeAll(bytes, to: output) { outputFailed = true }
    }

    /// Passes on what another program said on its stderr.
    package func relay(_ bytes: [UInt8]) {
        clearSpinner()
        _ = DescriptorOutput.writeAll(bytes, to: error)
    }

    /// Says a sentence: broken between words at the width of a terminal, one line elsewhere. What is indented (an
    /// address, a command to copy) stays whole.
    package func say(_ line: String) {
        line.hasPrefix(" ") ? sayWhole(line) : say(line, first: "")
    }

    /// As above, with something before the sentence, such as the dash of a list.
    package func say(_ sentence: String, first: String) {
        let column = DisplayWidth.of(first)
        guard traits.errorIsTerminal, column + DisplayWidth.of(sentence) > traits.width else {
            return sayWhole(first + sentence)
        }
        let lines = DisplayWidth.wrap(words: Sentence.words(sentence), width: traits.width - column)
        let blanks = String(repeating: " ", count: column)
        for (index, line) in lines.enumerated() { sayWhole((index == 0 ? first : blanks) + line) }
    }

    /// Writes a line of talk as it stands.
    package func sayWhole(_ line: String) {
        clearSpinner()
        _ = DescriptorOutput.writeAll(Array((traits.errorPalette.fitting(line) + "\n").utf8), to: error)
    }

    /// Says what to do next, one command line or sentence each.
    package func sayNext(_ steps: [String]) {
        let palette = traits.errorPalette
        for step in steps {
            guard traits.errorIsTerminal else {
                sayWhole("  \(palette.arrow) \(step)")
                continue
            }
            NextStep(step).lines(width: traits.width, palette: palette).forEach(sayWhole)
        }
    }

    /// Shows or redraws the one line that moves; nothing where talk does not go to a terminal.
    package func spin(_ line: String) {
        guard traits.errorIsTerminal else { return }
        let fitting = DisplayWidth.cut(line, to: traits.width - 1, ellipsis: traits.errorPalette.ellipsis)
        _ = DescriptorOutput.writeAll(Array("\r\(fitting)\u{1B}[K".utf8), to: error)
        spinnerShown = true
    }

    /// Takes the moving line away.
    package func clearSpinner() {
        guard spinnerShown else { return }
        spinnerShown = false
        _ = DescriptorOutput.writeAll(Array("\r\u{1B}[K".utf8), to: error)
    }

    /// Asks the user for a line; nil at the end of the input.
    package func ask(_ question: String) -> String? {
        prompt(question)
        guard case .line(let line) = readLine() else { return nil }
        return line.reveal()
    }

    /// What came of asking for a line.
    package enum SecretAnswer {
        case line(Secret)
        /// The input ended, or the line is longer than anybody types.
        case end
        /// The watched descriptor became readable first.
        case interrupted
    }

    /// Asks the user for a line that is not shown while it is typed.
    ///
    /// - Parameter watching: a descriptor that ends the waiting; -1 for none. Whatever ends it, the terminal shows what
    ///   is typed again.
    package func askSecret(_ question: String, watching: Int32) -> SecretAnswer {
        let hiding = HiddenTyping(input)
        prompt(question)
        defer {
            hiding.end()
            // The Enter was not shown either.
            endPrompt()
        }
        return readLine(watching: watching)
    }

    /// From here to `endPaste`, lines may be typed or pasted that are long and are not shown; `takeLine` takes them.
    func beginPaste() -> HiddenTyping {
        let hiding = HiddenTyping(input, takesLongLines: true)
        typing = hiding.isHidden ? TypedLine() : nil
        return hiding
    }

    /// The terminal is again as it was.
    func endPaste(_ hiding: HiddenTyping) {
        hiding.end()
        typing = nil
    }

    /// Writes a question, broken between words at the width of a terminal, and leaves the cursor behind it.
    func prompt(_ question: String) {
        clearSpinner()
        let shown = traits.errorPalette.fitting(question)
        let lines = traits.errorIsTerminal ? DisplayWidth.wrap(shown, width: traits.width - 1) : [shown]
        _ = DescriptorOutput.writeAll(Array((lines.joined(separator: "\n") + " ").utf8), to: error)
    }

    /// The line after a question ends; an Enter that was typed was not shown.
    func endPrompt() {
        _ = DescriptorOutput.writeAll([0x0A], to: error)
    }

    /// A line that has come meanwhile; nil where none has. Never waits.
    func takeLine() -> SecretAnswer? {
        while true {
            if let line = completeLine() { return .line(line) }
            var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 0) == 1 else { return nil }
            guard readAhead.count < 65536, let chunk = readChunk() else { return .end }
            guard !chunk.isEmpty else {
                guard !readAhead.isEmpty else { return .end }
                // The last line has no end of its own.
                readAhead.append(0x0A)
                continue
            }
            guard let typing else {
                readAhead += chunk
                continue
            }
            guard typing.append(chunk, to: &readAhead) else { return .end }
        }
    }

    /// Forgets what was typed and not taken yet.
    func dropTyped() {
        readAhead = []
        tcflush(input, TCIFLUSH)
    }

    /// Everything on stdin, up to `limit` bytes.
    package func readAll(limit: Int) throws(InputFault) -> [UInt8] {
        let ahead = readAhead
        readAhead = []
        return try InputFault.readAll(input, limit: limit, after: ahead)
    }

    private func readLine(watching: Int32 = -1) -> SecretAnswer {
        while true {
            if let line = completeLine() { return .line(line) }
            guard readAhead.count < 65536 else { return .end }
            guard waitForInput(watching) else { return .interrupted }
            guard let chunk = readChunk(), !chunk.isEmpty else { return .end }
            readAhead += chunk
        }
    }

    /// Takes a line that has come whole.
    private func completeLine() -> Secret? {
        guard let end = readAhead.firstIndex(of: 0x0A) else { return nil }
        let line = Secret(bytes: Array(readAhead[..<end]))
        for index in readAhead[...end].indices { readAhead[index] = 0 }
        readAhead.removeSubrange(...end)
        return line
    }

    /// False where the watched descriptor became readable first.
    private func waitForInput(_ watching: Int32) -> Bool {
        guard watching >= 0 else { return true }
        var waiting = [input, watching].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, 2, -1) < 0, errno == EINTR {}
        return waiting[1].revents == 0
    }

    private func readChunk() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(input, &chunk, chunk.count)
            if count >= 0 { return Array(chunk.prefix(count)) }
            guard errno == EINTR else { return nil }
        }
    }
}
