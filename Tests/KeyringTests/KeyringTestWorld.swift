// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Keyring
import Secrets
import Systemd
import TestSupport

/// A private session and a keyring on its bus.
struct KeyringTestWorld {
    static let attributes = ["application": "tokend", "account": "work", "kind": "grant"]

    let session: KeyringSession
    let keyring: Keyring

    private static let loopRuns: Void = DetachedThread.run {
        // Refused when another suite's thread serves the loop already.
        _ = try? EventLoop.main.run()
    }

    /// Lets `@LoopActor` code run in this process.
    static func runLoop() {
        loopRuns
    }

    static func run(
        _ provider: KeyringSession.Provider = .unlocked,
        activatable: Bool = false,
        deadline: Duration = .seconds(10),
        _ body: (KeyringTestWorld) async throws -> Void
    ) async throws {
        runLoop()
        try await KeyringSession.with(provider, activatable: activatable) { session in
            let address = session.busAddress
            try await body(
                KeyringTestWorld(session: session, keyring: Keyring(deadline: deadline) { address })
            )
        }
    }

    static func item(_ secret: String, account: String = "work") -> KeyringItem {
        KeyringItem(
            attributes: attributes.merging(["account": account]) { $1 },
            label: "tokend: \(account) at id.example",
            secret: Secret(secret)
        )
    }

    /// A second keyring object, as a restarted daemon would have.
    func anotherKeyring(deadline: Duration = .seconds(10)) -> Keyring {
        let address = session.busAddress
        return Keyring(deadline: deadline) { address }
    }

    /// Waits until others are told that the keyring shows a prompt. Its deadline must be far away: a prompt that is over
    /// is never seen.
    func waitForPrompt() async {
        while await Self.message(of: { _ = try await keyring.provider() })?.contains("prompt") != true {}
    }

    /// The message of the error that `body` ends with; nil when it ends well.
    static func message(of body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? KeyringError)?.message
        }
    }

    /// The code of the error that `body` ends with; nil when it ends well.
    static func code(of body: () async throws -> Void) async -> KeyringError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? KeyringError)?.code
        }
    }
}

/// Ends the process as the daemon's own end does, with exit handlers and destructors.
func exitProcess() -> Never {
    exit(0)
}
