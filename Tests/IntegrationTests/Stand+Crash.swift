// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

/// Deaths of the daemon, and its next life.
extension Stand {
    /// Kills the daemon without a warning, starts the next one, runs `body` with that, and stops it.
    ///
    /// - Parameter meanwhile: what happens while no daemon runs.
    func crash(meanwhile: () async throws -> Void = {}, then body: (Stand) async throws -> Void) async throws {
        try await daemon.kill()
        try await meanwhile()
        try await restart(body)
    }

    /// Starts the next daemon, with these variables in its environment, runs `body` with it, and stops it.
    func restart(adding variables: [String: String] = [:], _ body: (Stand) async throws -> Void) async throws {
        try await Self.run(in: world, provider, adding: variables, body)
    }

    /// Signs in and forgets the provider's events of that, so that the next token request is the next event.
    func signInQuietly() async throws {
        try await signIn()
        try await provider.next(.token, .arrived)
        try await provider.next(.token)
    }

    /// Asks for the account's state until it is this one.
    func awaitState(_ state: JSONValue) async throws {
        let limit = ContinuousClock.now.advanced(by: .seconds(10))
        while try await status()["state"] != state {
            guard ContinuousClock.now < limit else { throw TimedOut("the state \(state)") }
        }
    }

    /// Lets the daemon write to a frozen keyring and kills it before it hears that the keyring has the item: whenever
    /// the keyring runs, the daemon does not.
    func killOnceStored(_ what: String, where fits: (String) -> Bool) async throws {
        for _ in 0..<100 {
            daemon.process.signal(SIGSTOP)
            session.thawKeyring()
            if fits(try await keyringItem()) { return try await daemon.kill() }
            session.freezeKeyring()
            daemon.process.signal(SIGCONT)
            // Two turns of its loop.
            for _ in 0..<2 { _ = try await client.result("hello") }
        }
        session.thawKeyring()
        throw TimedOut("the keyring's item with \(what)")
    }

    /// Kills the keyring, with all that it has not written, and starts the next one on the same file.
    func replaceKeyring() async throws {
        try await session.killKeyring()
        try await session.startKeyring(unlocked: true)
    }

    /// Every refresh token that has come to the provider, in order, as often as it came.
    var sentTokens: [String] {
        provider.events.filter { $0.endpoint == .token && $0.phase == .arrived }
            .compactMap { $0.parameters["refresh_token"] }
    }
}

extension ProviderSettings {
    /// A new refresh token at each use; the one before is accepted for so many seconds more, later use ends the grant.
    static func rotating(grace: Int) -> Self {
        var settings = Self.approving
        settings.refreshTokens = .rotating(grace: .seconds(grace))
        return settings
    }
}
