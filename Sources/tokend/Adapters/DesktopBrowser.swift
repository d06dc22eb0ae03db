// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import HTTPTypes
import Systemd

/// Opens the user's browser: as a unit of the user manager if that runs the daemon, as a detached child if the daemon
/// was started by hand without such a manager.
final class DesktopBrowser: BrowserOpener {
    private let loop: EventLoop
    private let environment: [String: String]
    private var bus: Bus?

    init(loop: EventLoop, environment: [String: String]) {
        self.loop = loop
        self.environment = environment
    }

    func open(_ url: WebURL, command: [String]?) async throws(BrowserError) {
        let words = command ?? environment["BROWSER"].nonEmpty.map { [$0] } ?? ["xdg-open"]
        guard Self.usesUserManager(environment) else {
            return try startDetached(words + [url.text])
        }
        let bus: Bus
        let session: [String: String]
        do {
            bus = try connectedBus()
            session = try await UserManager.environment(on: bus, deadline: .seconds(10))
        } catch {
            throw BrowserError(message: "the user's service manager cannot be asked: \(error.message)")
        }
        let program = TransientProgram(
            description: "Browser for a sign-in",
            unitPrefix: "tokend-browser",
            arguments: words + [url.text],
            environment: try BrowserScreen.variables(
                own: environment,
                session: session,
                isNeeded: words == ["xdg-open"]
            )
        )
        do {
            _ = try await UserManager.start(program, on: bus, deadline: .seconds(10))
        } catch {
            throw BrowserError(
                message: "no browser could be opened through the user's service manager: \(error.message)"
            )
        }
    }

    /// Whether a user manager starts the browser, so that the daemon itself never starts a program. The manager's own
    /// socket is visible without a bus.
    nonisolated static func usesUserManager(_ environment: [String: String]) -> Bool {
        guard environment["INVOCATION_ID"] == nil else { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"].nonEmpty else { return false }
        return FileIdentity(at: folder + "/systemd/private") != nil
    }

    private func startDetached(_ words: [String]) throws(BrowserError) {
        do {
            try DetachedProgram.start(words)
        } catch {
            throw BrowserError(message: "no browser could be opened: \(error.message)")
        }
    }

    private func connectedBus() throws(SystemdError) -> Bus {
        if let bus, bus.isOpen { return bus }
        let bus = try Bus(.user, loop: loop)
        self.bus = bus
        return bus
    }
}
