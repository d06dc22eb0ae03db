// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
package import Systemd
import TokendProtocol

/// Tells the person that a sign-in is needed: once for each end of a grant, with a button that begins it, until it is
/// done; then that is said in its place. Only what a person can mend is told.
@LoopActor package final class LoginReminders {
    private unowned let broker: Broker
    private var shown: [String: @LoopActor (LoginReminder?) -> Void] = [:]

    package init(broker: Broker) {
        self.broker = broker
    }

    /// Takes note of what happened.
    package func note(_ event: BrokerEvent) {
        switch event {
        case .grantEnded(let account, let reason, _) where reason != .signedOut:
            remind(account, reason)
        case .loginFinished(let account, _, nil):
            let done = LoginReminder(account: account, message: "“\(account)” is signed in again.")
            shown.removeValue(forKey: account)?(done)
        case .loggedOut(let account, _), .tokenRefreshed(let account, _):
            shown.removeValue(forKey: account)?(nil)
        case .configurationRead:
            for name in shown.keys where broker.accounts[name] == nil { shown.removeValue(forKey: name)?(nil) }
            if !broker.configuration.daemon.notifies { withdrawAll() }
        default:
            break
        }
    }

    /// Takes all of them away, at the daemon's end.
    package func withdrawAll() {
        for withdraw in shown.values { withdraw(nil) }
        shown = [:]
    }

    private func remind(_ name: String, _ reason: EndReason) {
        guard broker.configuration.daemon.notifies, shown[name] == nil else { return }
        let reminder = LoginReminder(account: name, message: reason.sentence(account: name))
        shown[name] = { _ in }
        shown[name] = broker.ports.notifier.remind(reminder) { [weak self] in self?.signIn(name) }
    }

    private func signIn(_ name: String) {
        let broker = broker
        guard let account = broker.accounts[name] else { return }
        let id = UnguessableText.make(entropy: broker.ports.entropy.bytes(UnguessableText.entropyLength))
        guard let login = try? account.startLogin(LoginParameters(), id: id, timeout: 300) else { return }
        login.whenStarted { start in
            guard case .success(let start) = start, let url = start.authorizationURL else { return }
            Task.onLoop {
                do throws(BrowserError) {
                    try await broker.ports.browser.open(
                        url,
                        command: broker.configuration.daemon.browser
                    )
                } catch {
                    broker.ports.log.record(.browserFault(error))
                }
            }
        }
    }
}
