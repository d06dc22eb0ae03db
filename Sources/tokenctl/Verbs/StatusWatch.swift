// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// `tokenctl status --watch`: drawn anew at every event of the daemon's, and as time goes by; Ctrl-C ends it.
final class StatusWatch {
    private let context: CommandContext
    private let interruption: Interruption
    private var console: Console { context.console }
    private var isSubscribed = false
    /// A daemon without `events.subscribe`: it is asked again and again instead.
    private var mustAsk = false
    private var shown = ""

    init(_ context: CommandContext) {
        self.context = context
        interruption = context.takeOverSignals()
    }

    func run() throws(TokenctlError) -> Int32 {
        var isFirst = true
        while true {
            do throws(TokenctlError) {
                try subscribe()
                draw(try context.ask(Status.self, context.statusParameters))
                isFirst = false
                try rest()
            } catch {
                guard error.code != .interrupted else {
                    // The terminal has written ^C at the start of the line.
                    if console.traits.errorIsTerminal { console.say("") }
                    return error.exitCode
                }
                let isPassing = error.code == .daemonAbsent || error.code == .connectionLost
                guard isPassing, !isFirst else { throw error }
                isSubscribed = false
                draw(["tokend is not running; waiting for it…"])
                try pause(.seconds(2))
            }
            if console.outputFailed { return ExitCode.inputOutput }
        }
    }

    private func subscribe() throws(TokenctlError) {
        guard !isSubscribed, !mustAsk else { return }
        do throws(TokenctlError) {
            _ = try context.ask(EventsSubscribe.self, EventsSubscribe.Parameters())
            isSubscribed = true
        } catch {
            guard error.code == .methodNotFound else { throw error }
            mustAsk = true
        }
    }

    /// Waits for an event, or for so long that a time on the screen may have changed.
    private func rest() throws(TokenctlError) {
        guard isSubscribed else { return try pause(.seconds(2)) }
        let client = try context.client()
        do throws(TokenClientError) {
            _ = try client.nextEvent(until: Deadline(in: .seconds(10)), watching: interruption.descriptor)
            // More events come together: one drawing for all of them.
            while try client.nextEvent(until: Deadline(in: .milliseconds(20))) != nil {}
        } catch {
            throw context.translated(error, account: nil)
        }
        try pause(.zero)
    }

    private func pause(_ duration: Duration) throws(TokenctlError) {
        if let signal = interruption.wait(for: duration) { throw .interrupted(by: signal, "interrupted") }
    }

    private func draw(_ status: Answer<Status.Result>) {
        guard !context.invocation.wantsJSON else {
            let document = String(decoding: JSONWriter.bytes(.object(status.json)), as: UTF8.self)
            show(console.traits.outputIsTerminal ? TerminalText.escapedJSON(document) : document)
            return
        }
        let report = context.statusReport(status.result)
        let traits = console.traits.resized()
        let height = traits.screenHeight.map { $0 - 3 }
        let lines = report.lines(
            width: traits.width,
            palette: traits.outputPalette,
            tableWidth: traits.outputIsTerminal ? traits.columns : nil,
            height: height
        )
        // What is longer than the screen would push the beginning out of it.
        draw(height.map { Array(lines.prefix($0)) } ?? lines)
    }

    private func draw(_ lines: [String]) {
        guard console.traits.outputIsTerminal, !context.invocation.wantsJSON else {
            show(lines.joined(separator: "\n"))
            return
        }
        let end = ["", console.traits.outputPalette.paint("Ctrl-C ends.", .quiet)]
        // Home, every line with what was right of it erased, then what was below.
        console.write("\u{1B}[H" + (lines + end).map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }

    private func show(_ text: String) {
        guard text != shown else { return }
        shown = text
        console.print(text)
    }
}
