// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON
package import Systemd
package import TokendProtocol

/// Shows a user something outside of any program: a desktop's notifications.
@LoopActor package protocol PersonNotifying: AnyObject, Sendable {
    /// Asks, and calls `answer` once: with the user's choice, or with nil at once if nobody can be asked or the
    /// question was closed unanswered.
    ///
    /// - Returns: called to take the question away again.
    func ask(
        _ question: ConfirmQuestion,
        answer: @escaping @LoopActor (PersonReply) -> Void
    ) -> @LoopActor () -> Void

    /// Says that a sign-in is needed, with a button that begins it where it can begin by itself.
    ///
    /// - Returns: called to take it away again, or to have something said in its place.
    func remind(
        _ reminder: LoginReminder,
        onChoice: @escaping @LoopActor () -> Void
    ) -> @LoopActor (_ instead: LoginReminder?) -> Void
}

/// What became of a question.
package enum PersonReply: Sendable, Equatable {
    case said(ConfirmAnswer.Answer)
    /// It was closed without an answer.
    case closed
    /// Nobody can be asked: there is no service, or none that shows buttons.
    case nobody
}

/// What a user is asked.
package struct ConfirmQuestion: Sendable, Equatable {
    /// What it is about.
    package enum Matter: Sendable, Equatable {
        /// A token; whether "always" can be answered.
        case token(canBeRemembered: Bool)
        /// Where an existing sign-in may go, which is changed to a provider of this name.
        case destination(String)

        /// That provider.
        var provider: String? {
            guard case .destination(let provider) = self else { return nil }
            return provider
        }
    }

    /// The most characters of a name that is put to a person: it is shown whole or not at all.
    package static let longestName = 300

    /// Whether a name can be put to a person.
    static func canShow(_ name: String) -> Bool { name.unicodeScalars.count <= longestName }

    package var id: String
    package var account: String
    /// In the words of `allow`.
    package var client: String
    /// What the program calls itself; not to be trusted.
    package var application: String?
    package var matter: Matter

    package init(id: String, account: String, client: String, application: String?, matter: Matter) {
        self.id = id
        self.account = account
        self.client = client
        self.application = application
        self.matter = matter
    }
}

extension ConfirmQuestion {
    /// The members of the event `confirm_wanted`.
    var details: JSONObject {
        var details = ConfirmDetails()
        details.id = id
        details.client = client
        details.application = application.map { DisplayText.sanitized($0) }
        switch matter {
        case .token(let canBeRemembered): details.always = canBeRemembered
        case .destination(let provider): details.destination = provider
        }
        return details.encoded()
    }
}

/// What is shown to a user who has to sign in again, or has done so.
package struct LoginReminder: Sendable, Equatable {
    package var account: String
    /// One sentence.
    package var message: String
    /// Whether there is a button that begins the sign-in.
    package var hasButton: Bool

    package init(account: String, message: String, hasButton: Bool = true) {
        self.account = account
        self.message = message
        self.hasButton = hasButton
    }
}

/// Where there is no desktop.
final class NobodyToNotify: PersonNotifying {
    nonisolated init() {}

    func ask(
        _ question: ConfirmQuestion,
        answer: @escaping @LoopActor (PersonReply) -> Void
    ) -> @LoopActor () -> Void {
        answer(.nobody)
        return {}
    }

    func remind(
        _ reminder: LoginReminder,
        onChoice: @escaping @LoopActor () -> Void
    ) -> @LoopActor (LoginReminder?) -> Void {
        { _ in }
    }
}
