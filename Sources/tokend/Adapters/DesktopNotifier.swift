// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd
import TokendProtocol

/// The desktop's notifications (`org.freedesktop.Notifications`, Desktop Notifications Specification 1.2).
@LoopActor final class DesktopNotifier: PersonNotifying {
    private let service = NotificationService()
    private let loop: EventLoop
    private let log: any EventLog
    /// The setting `notifications`.
    var isEnabled: @LoopActor () -> Bool = { true }
    private var bus: Bus?
    private var slots: [BusSlot] = []
    /// The service's unique name: signals of other senders are ignored.
    private var owner: String?
    private var shown: [UInt32: (String?) -> Void] = [:]

    init(loop: EventLoop, log: any EventLog) {
        self.loop = loop
        self.log = log
    }

    func ask(
        _ question: ConfirmQuestion,
        answer: @escaping @LoopActor (PersonReply) -> Void
    ) -> @LoopActor () -> Void {
        guard isEnabled() else {
            answer(.nobody)
            return {}
        }
        let shown = show(NotificationText(question)) { choice in
            switch choice {
            case .action(let key): answer(ConfirmAnswer.Answer(rawValue: key).map { .said($0) } ?? .closed)
            case .closed: answer(.closed)
            case .nowhere: answer(.nobody)
            }
        }
        return { [weak self] in self?.end(shown) }
    }

    func remind(
        _ reminder: LoginReminder,
        onChoice: @escaping @LoopActor () -> Void
    ) -> @LoopActor (LoginReminder?) -> Void {
        guard isEnabled() else { return { _ in } }
        let shown = show(NotificationText(reminder)) { choice in
            if case .action = choice { onChoice() }
        }
        return { [weak self] instead in self?.end(shown, instead: instead.map(NotificationText.init(done:))) }
    }

    private enum Choice {
        case action(String)
        case closed
        /// There is no service, or it has no buttons.
        case nowhere
    }

    /// Shows a notification; `then` is called once, and never after the result.
    private func show(
        _ text: NotificationText,
        _ then: @escaping @LoopActor (Choice) -> Void
    ) -> Once {
        let once = Once(then)
        Task.onLoop { [self] in
            do throws(SystemdError) {
                let bus = try connectedBus()
                let capabilities = try await bus.call(service.capabilities, deadline: .seconds(10)).first
                guard case .array(_, let names)? = capabilities, names.contains(where: { $0.text == "actions" }) else {
                    return once.call(.nowhere)
                }
                owner = try await bus.owner(of: NotificationService.name, deadline: .seconds(10))
                guard !once.isOver else { return }
                guard case .uint32(let id)? = try await bus.call(service.notify(text), deadline: .seconds(10)).first
                else { return once.call(.nowhere) }
                guard !once.isOver else { return close(id) }
                once.id = id
                shown[id] = { key in once.call(key.map { .action($0) } ?? .closed) }
            } catch {
                log.record(.notificationFault(error.message))
                once.call(.nowhere)
            }
        }
        return once
    }

    /// Removes an unanswered notification, or replaces it.
    private func end(_ once: Once, instead: NotificationText? = nil) {
        guard once.end(), let id = once.id else { return }
        guard let instead, let bus else { return close(id) }
        shown[id] = nil
        let call = service.notify(instead, replacing: id)
        Task.onLoop { _ = try? await bus.call(call, deadline: .seconds(5)) }
    }

    private func close(_ id: UInt32) {
        shown[id] = nil
        guard let bus else { return }
        Task.onLoop { [service] in _ = try? await bus.call(service.close(id), deadline: .seconds(5)) }
    }

    private func connectedBus() throws(SystemdError) -> Bus {
        if let bus, bus.isOpen { return bus }
        slots = []
        let bus = try Bus(.user, loop: loop)
        for member in ["ActionInvoked", "NotificationClosed"] {
            slots.append(try bus.match(service.signal(member)) { [weak self] signal in self?.received(signal) })
        }
        self.bus = bus
        return bus
    }

    private func received(_ signal: BusSignal) {
        guard signal.sender == owner, case .uint32(let id)? = signal.arguments.first else { return }
        let isAction = signal.member == "ActionInvoked"
        guard let then = shown.removeValue(forKey: id) else { return }
        then(isAction ? signal.arguments.last?.text : nil)
        if isAction { close(id) }
    }

    /// A callback that is called at most once.
    @LoopActor private final class Once {
        private var body: (@LoopActor (Choice) -> Void)?
        var id: UInt32?

        init(_ body: @escaping @LoopActor (Choice) -> Void) {
            self.body = body
        }

        var isOver: Bool { body == nil }

        func call(_ choice: Choice) {
            let body = body
            self.body = nil
            body?(choice)
        }

        /// - Returns: false if it had been called, or ended.
        func end() -> Bool {
            defer { body = nil }
            return body != nil
        }
    }
}

/// The calls of the notification service.
struct NotificationService {
    static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    var capabilities: BusCall { call("GetCapabilities", []) }

    /// A notification with buttons stays until it is answered or closed, and is urgent, since a request waits for it.
    ///
    /// - Parameter id: the notification that it replaces; 0: none.
    func notify(_ text: NotificationText, replacing id: UInt32 = 0) -> BusCall {
        let isQuestion = !text.actions.isEmpty
        return call(
            "Notify",
            [
                .string("tokend"), .uint32(id), .string("dialog-password"), .string(text.summary), .string(text.body),
                .strings(text.actions.flatMap { [$0.key, $0.label] }),
                .array(
                    of: "{sv}",
                    [
                        .entry(.string("urgency"), .variant(.byte(isQuestion ? 2 : 1))),
                        // The installed desktop file: desktops show its name, and keep the user's settings for it.
                        .entry(.string("desktop-entry"), .variant(.string("tokend"))),
                    ]
                ),
                .int32(isQuestion ? 0 : -1),
            ]
        )
    }

    func close(_ id: UInt32) -> BusCall { call("CloseNotification", [.uint32(id)]) }

    func signal(_ member: String) -> BusMatch {
        var match = BusMatch(sender: Self.name, path: Self.path, interface: Self.name, member: member)
        // Services send these signals only to the program that shows a notification.
        match.takesAddressed = true
        return match
    }

    private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(Self.name, path: Self.path, interface: Self.name, member: member, arguments: arguments)
    }
}

/// The text of a notification; its body is markup.
struct NotificationText {
    var summary: String
    var body: String
    var actions: [(key: String, label: String)]

    init(_ question: ConfirmQuestion) {
        let client = Self.shown(EventDetails.fullName(of: question.client), limit: ConfirmQuestion.longestName + 20)
        let name = question.application.map { " (it calls itself “\(Self.shown($0))”)" } ?? ""
        switch question.matter {
        case .token(let canBeRemembered):
            // A title is no markup.
            let program = DisplayText.sanitized(EventDetails.shortName(of: question.client), limit: 80)
            summary = "Allow \(program) to use “\(question.account)”?"
            body = "\(client)\(name) asks for a token."
            actions = [("once", "Allow once")] + (canBeRemembered ? [("always", "Always")] : []) + [("deny", "Deny")]
        case .destination(let provider):
            summary = "Move “\(question.account)” to another provider?"
            body =
                "\(client) wants to change the sign-in “\(Self.shown(question.account))”: its tokens would then come from "
                + "\(Self.shown(provider, limit: ConfirmQuestion.longestName))."
            actions = [("once", "Allow"), ("deny", "Deny")]
        }
    }

    init(_ reminder: LoginReminder) {
        summary = "Sign in to “\(reminder.account)”"
        body = Self.shown(reminder.message)
        actions = reminder.hasButton ? [("default", "Sign in"), ("login", "Sign in")] : []
    }

    /// A text that says that the sign-in is done.
    init(done reminder: LoginReminder) {
        summary = "Signed in to “\(reminder.account)”"
        body = Self.shown(reminder.message)
        actions = []
    }

    private static func shown(_ text: String, limit: Int = 200) -> String {
        escapeHTML(DisplayText.sanitized(text, limit: limit))
    }
}
