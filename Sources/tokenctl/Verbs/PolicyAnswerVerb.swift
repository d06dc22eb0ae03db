// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokenClient
import TokendProtocol

extension Verb {
    /// `tokenctl policy answer`: puts the daemon's questions to who sits here, where no desktop does.
    package static let policyAnswer = Verb(
        "policy answer",
        hasResult: false,
        summary: "allow or deny here what programs ask for",
        details: [
            "Where an account asks you (`confirm`) and no desktop shows notifications,",
            "the questions are shown here while this runs, also those that wait already.",
        ],
        examples: ["tokenctl policy answer"]
    ) { context throws(TokenctlError) in
        try PolicyAnswerVerb(context: context).run()
    }
}

/// What `policy answer` does.
private struct PolicyAnswerVerb {
    let context: CommandContext
    private var console: Console { context.console }

    func run() throws(TokenctlError) -> Int32 {
        guard console.traits.isInteractive else {
            throw .usage("policy answer asks you questions, so it needs a terminal")
        }
        let interruption = context.takeOverSignals()
        _ = try context.ask(EventsSubscribe.self, EventsSubscribe.Parameters(confirms: true))
        console.say("Waiting for programs that ask; Ctrl-C ends.")
        var waiting: [PolicyQuestion] = []
        while true {
            if waiting.isEmpty {
                take(try nextEvent(interruption, within: .seconds(3600)), into: &waiting)
                continue
            }
            let question = waiting.removeFirst()
            guard try put(question, &waiting, interruption) else {
                console.say("Questions are no longer answered here.")
                return ExitCode.success
            }
        }
    }

    private func nextEvent(
        _ interruption: Interruption,
        within limit: Duration
    ) throws(TokenctlError) -> EventMessage? {
        let client = try context.client()
        let event: EventMessage?
        do throws(TokenClientError) {
            event = try client.nextEvent(until: Deadline(in: limit), watching: interruption.descriptor)
        } catch {
            throw context.translated(error, account: nil)
        }
        if let signal = interruption.take() { throw .interrupted(by: signal, "nobody answers here any more") }
        return event
    }

    /// A new question waits for its turn; one that is over is not put.
    ///
    /// - Returns: the question that is over.
    @discardableResult
    private func take(_ event: EventMessage?, into waiting: inout [PolicyQuestion]) -> String? {
        guard let event else { return nil }
        switch event.type {
        case .confirmWanted:
            let question = PolicyQuestion(event)
            if question.id != nil { waiting.append(question) }
            return nil
        case .confirmEnded:
            let id = EventDetails(tolerating: event.details).id
            waiting.removeAll { $0.id == id }
            return id
        default: return nil
        }
    }

    /// Asks until there is an answer, from here or from elsewhere.
    ///
    /// - Returns: false where the user ended the input.
    private func put(
        _ question: PolicyQuestion,
        _ waiting: inout [PolicyQuestion],
        _ interruption: Interruption
    ) throws(TokenctlError) -> Bool {
        guard let id = question.id else { return true }
        // What was typed before the question was read is no answer to it.
        console.dropTyped()
        console.sayWhole(console.traits.errorPalette.paint(question.title, .strong))
        console.say(question.sentence)
        console.prompt(question.prompt)
        while true {
            if take(try nextEvent(interruption, within: .milliseconds(100)), into: &waiting) == id {
                console.endPrompt()
                console.say("It was answered elsewhere, or not in time.")
                return true
            }
            switch console.takeLine() {
            case .line(let typed):
                if let answer = question.answer(typed.reveal()) {
                    try give(answer, to: id)
                    return true
                }
                console.prompt(question.prompt)
            case .end:
                console.endPrompt()
                return false
            case .interrupted, nil: continue
            }
        }
    }

    private func give(_ answer: ConfirmAnswer.Answer, to id: String) throws(TokenctlError) {
        do throws(TokenctlError) {
            _ = try context.ask(ConfirmAnswer.self, ConfirmAnswer.Parameters(id: id, answer: answer))
        } catch {
            guard error.code == .invalidParams else { throw error }
            // It was answered elsewhere at the same moment.
            console.say(error.message)
        }
    }
}
