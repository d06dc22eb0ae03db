// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
package import Systemd
import TokendProtocol

/// Tells the user that a sign-in is needed now or within days: once for each end of a grant, with a button that begins
/// it, until it is done; then the notification says so. Only what the user can fix is shown.
@LoopActor package final class LoginReminders {
    /// The notification of an account.
    private struct Shown {
        /// Removes it, or replaces it.
        var withdraw: @LoopActor (LoginReminder?) -> Void = { _ in }
        /// The grant is still in force: a renewal does not remove the reason.
        var isAhead = false
    }

    private unowned let broker: Broker
    private var shown: [String: Shown] = [:]

    package init(broker: Broker) {
        self.broker = broker
    }

    /// Handles an event.
    package func note(_ event: BrokerEvent) {
        switch event {
        case .grantEnded(let account, let reason, _) where reason != .signedOut:
            if shown[account]?.isAhead == true { withdraw(account) }
            remind(account, reason.sentence(account: account), isAhead: false)
        case .grantEnding(let account, let end):
            if shown[account]?.isAhead == true { withdraw(account) }
            remind(account, ending(account, end), isAhead: true)
        case .loginFinished(let account, _, nil):
            withdraw(account, for: LoginReminder(account: account, message: "“\(account)” is signed in again."))
        case .loggedOut(let account, _):
            withdraw(account)
        case .tokenRefreshed(let account, _):
            if shown[account]?.isAhead == false { withdraw(account) }
        case .configurationRead:
            for account in shown.keys where broker.accounts[account] == nil { withdraw(account) }
            if !broker.configuration.daemon.notifies { withdrawAll() }
        default:
            break
        }
    }

    /// Removes all of them, at the daemon's end.
    package func withdrawAll() {
        for one in shown.values { one.withdraw(nil) }
        shown = [:]
    }

    private func withdraw(_ name: String, for other: LoginReminder? = nil) {
        shown.removeValue(forKey: name)?.withdraw(other)
    }

    private func remind(_ name: String, _ message: String, isAhead: Bool) {
        guard broker.configuration.daemon.notifies, shown[name] == nil else { return }
        shown[name] = Shown(isAhead: isAhead)
        // A device code would not be visible here: such a sign-in is started where the code can be shown.
        let isBegunHere = broker.accounts[name]?.configuration?.flow == .browser
        let reminder = LoginReminder(account: name, message: message, hasButton: isBegunHere)
        shown[name]?.withdraw = broker.ports.notifier.remind(reminder) { [weak self] in self?.signIn(name) }
    }

    private func ending(_ name: String, _ end: Int64) -> String {
        let hours = max(0, end.subtractingSaturated(broker.ports.clock.now.wall)) / 3600
        let time = hours < 48 ? "\(hours) hours" : "\(hours / 24) days"
        return "the sign-in of “\(name)” ends in \(time), whether it is renewed or not; "
            + "sign in before with: tokenctl login \(name)"
    }

    private func signIn(_ name: String) {
        guard let account = broker.accounts[name] else { return }
        let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
        do throws(ProtocolError) {
            let login = try account.startLogin(LoginParameters(), id: id, timeout: 300)
            login.whenStarted { [weak self, weak login] start in
                switch start {
                case .success(let start):
                    login?.isShown = true
                    guard let page = start.page else { return }
                    self?.broker.openBrowser(page) { error in self?.failed(name, error.message) }
                case .failure(let error) where error.kind == .cancelled: break
                case .failure(let error): self?.failed(name, error.message)
                }
            }
        } catch {
            failed(name, error.message)
        }
    }

    /// Its button was used without success: a new notification shows the reason.
    private func failed(_ name: String, _ reason: String) {
        guard let isAhead = shown[name]?.isAhead else { return }
        withdraw(name)
        remind(name, "the sign-in of “\(name)” did not begin: \(reason)", isAhead: isAhead)
    }
}
