// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient
import TokendProtocol

/// A request whose answer takes long, with a moving line that says what is waited for: the provider, or the user's own
/// permission.
struct VisibleWait {
    /// What is answered sooner shows nothing.
    private static let quiet: Duration = .milliseconds(700)
    private static let tick: Duration = .milliseconds(120)
    private let console: Console
    private let client: TokenClient
    private let account: String?
    private var turn = 0
    private var question: PolicyQuestion?

    /// `account`: the one that it is about; nil where the daemon chooses.
    init(_ console: Console, _ client: TokenClient, account: String?) {
        self.console = console
        self.client = client
        self.account = account
    }

    /// As `TokenClient.call`.
    mutating func call(
        _ method: Method,
        _ parameters: JSONObject,
        timeout: Duration,
        watching: Int32
    ) throws(TokenClientError) -> JSONObject {
        defer { console.clearSpinner() }
        let deadline = Deadline(in: timeout)
        let pending = try client.send(method, parameters, deadline: deadline)
        var next = deadline.capped(in: Self.quiet)
        var isListening = false
        while true {
            switch try client.wait(for: pending, until: next, watching: watching, resend: parameters) {
            case .reply(let result): return result
            case .interrupted: throw TokenClientError(.interrupted, "interrupted")
            case .deadline where deadline.isOver: throw TokenClientError(.timeout, "tokend has not answered in time")
            case .deadline:
                if !isListening { _ = try client.send(.eventsSubscribe, [:], deadline: deadline) }
                isListening = true
                try listen()
                spin()
                next = deadline.capped(in: Self.tick)
            }
        }
    }

    /// Takes what the daemon tells of questions meanwhile.
    private mutating func listen() throws(TokenClientError) {
        while let event = try client.nextEvent(until: Deadline(in: .zero)) {
            switch event.type {
            case .confirmWanted where account == nil || event.account == account: question = PolicyQuestion(event)
            case .confirmEnded where EventDetails(tolerating: event.details).id == question?.id: question = nil
            default: break
            }
        }
    }

    private mutating func spin() {
        let frames = console.traits.errorPalette.spinner
        turn = (turn + 1) % frames.count
        let of = account.map { " of “\(TerminalText.sanitized($0))”" } ?? ""
        guard let question else { return console.spin("\(frames[turn]) Waiting for the provider\(of) (Ctrl-C ends)") }
        console.spin("\(frames[turn]) Waiting for your answer: \(question.title)")
    }
}
