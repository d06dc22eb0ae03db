// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import Systemd
package import TokendProtocol

/// Shows the user notifications outside of any program, on the desktop.
@LoopActor package protocol PersonNotifying: AnyObject, Sendable {
    /// Asks, and calls `answer` once: with the user's choice, or at once if there is no way to ask.
    ///
    /// - Returns: called to withdraw the question.
    func ask(
        _ question: ConfirmQuestion,
        answer: @escaping @LoopActor (PersonReply) -> Void
    ) -> @LoopActor () -> Void

    /// Says that a sign-in is needed, with a button that begins it if possible.
    ///
    /// - Returns: called to withdraw it, or to replace its text.
    func remind(
        _ reminder: LoginReminder,
        onChoice: @escaping @LoopActor () -> Void
    ) -> @LoopActor (_ instead: LoginReminder?) -> Void
}

/// The result of a question.
package enum PersonReply: Sendable, Equatable {
    case said(ConfirmAnswer.Answer)
    /// It was closed without an answer.
    case closed
    /// There is no notification service, or none with buttons.
    case nobody
}

/// A question to the user.
package struct ConfirmQuestion: Sendable, Equatable {
    /// What it is about.
    package enum Matter: Sendable, Equatable {
        /// A token; whether "always" is a possible answer.
        case token(canBeRemembered: Bool)
        /// A change of the provider that an existing sign-in may be sent to, with the new one's name.
        case destination(String)

        /// That provider.
        var provider: String? {
            guard case .destination(let provider) = self else { return nil }
            return provider
        }
    }

    /// The longest name in characters that a question can have: it is shown in full or not at all.
    package static let longestName = 300

    /// Whether a question can show the name.
    static func canShow(_ name: String) -> Bool { name.unicodeScalars.count <= longestName }

    package var id: String
    package var account: String
    /// As `allow` names it.
    package var client: String
    /// The program's own name for itself, which is not trusted.
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
    var details: EventDetails {
        var details = EventDetails()
        details.id = id
        details.client = client
        details.application = application.map { DisplayText.sanitized($0) }
        switch matter {
        case .token(let canBeRemembered): details.always = canBeRemembered
        case .destination(let provider): details.destination = provider
        }
        return details
    }
}

/// A notification to a user who has to sign in again, or has done so.
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

/// For machines without a desktop.
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
