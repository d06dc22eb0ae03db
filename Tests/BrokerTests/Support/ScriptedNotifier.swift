// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import TokendProtocol

@testable import Broker

/// A desktop whose user is the test.
@LoopActor final class ScriptedNotifier: PersonNotifying {
    /// A question that was put.
    @LoopActor final class Asked {
        let question: ConfirmQuestion
        private(set) var isRetracted = false
        private let answer: @LoopActor (PersonReply) -> Void

        init(_ question: ConfirmQuestion, _ answer: @escaping @LoopActor (PersonReply) -> Void) {
            self.question = question
            self.answer = answer
        }

        func reply(_ reply: PersonReply) { answer(reply) }

        func retract() { isRetracted = true }
    }

    /// Whether there is a desktop.
    var isThere = true
    private(set) var asked: [Asked] = []
    private(set) var reminders: [LoginReminder] = []
    /// What replaced a reminder when its reason was gone.
    private(set) var replacements: [LoginReminder] = []
    /// Reminders that were taken away again.
    private(set) var withdrawn: [LoginReminder] = []
    private var choices: [@LoopActor () -> Void] = []

    func ask(
        _ question: ConfirmQuestion,
        answer: @escaping @LoopActor (PersonReply) -> Void
    ) -> @LoopActor () -> Void {
        guard isThere else {
            answer(.nobody)
            return {}
        }
        let asked = Asked(question, answer)
        self.asked.append(asked)
        return { asked.retract() }
    }

    func remind(
        _ reminder: LoginReminder,
        onChoice: @escaping @LoopActor () -> Void
    ) -> @LoopActor (LoginReminder?) -> Void {
        reminders.append(reminder)
        choices.append(onChoice)
        return { [weak self] instead in
            self?.withdrawn.append(reminder)
            if let instead { self?.replacements.append(instead) }
        }
    }

    /// The user presses the last reminder's button.
    func choose() { choices.last?() }
}
