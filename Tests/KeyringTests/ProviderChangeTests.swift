// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import TestSupport
import Testing

/// Another program in the place of the one that has the items. oo7 is played: Debian has none.
@Suite(.timeLimit(.minutes(1)))
struct ProviderChangeTests {
    private let attributes = KeyringTestWorld.attributes
    private let common = ["application": "tokend"]

    /// A keyring as a restarted daemon has it, which noted down who held the items.
    private func restarted(_ world: KeyringTestWorld, holder: String?) -> Keyring {
        let address = world.session.busAddress
        return Keyring(holder: holder, common: common) { address }
    }

    @Test func `a collection is used by its own path, whatever the alias resolves to`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedOO7(locked: true)
            #expect(await world.keyring.state() == .locked)
            try await world.keyring.unlock(timeout: .seconds(5))
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.keyring.store(KeyringTestWorld.item("two"))
            #expect(try await world.keyring.items(matching: attributes).map(\.secret) == [Secret("two")])
            #expect(try await world.keyring.remove(matching: attributes) == 1)
            #expect(await world.keyring.lastProvider?.name == "oo7-daemon")
        }
    }

    @Test func `after a restart too another program's empty collection is no sign-out, and both are named`()
        async throws
    {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedOO7()
            let keyring = restarted(world, holder: "gnome-keyring-d")
            let error = await #expect(throws: KeyringError.self) { try await keyring.items(matching: attributes) }
            #expect(error?.code == .unavailable)
            for name in ["gnome-keyring-daemon", "oo7-daemon"] { #expect(error?.message.contains(name) == true) }
            try await keyring.unlock(timeout: .seconds(5))
            #expect(try await keyring.items(matching: attributes).isEmpty)
            #expect(await keyring.holder == "oo7-daemon")
        }
    }

    @Test func `a provider that does not take a public key is offered another one, but not for ever`() async throws {
        for (refused, code) in [(1, nil), (99, KeyringError.Code.failed)] {
            try await KeyringTestWorld.run(.none) { world in
                try await world.session.startPlayedOO7(refusedKeys: refused)
                #expect(await KeyringTestWorld.code { _ = try await world.keyring.provider() } == code)
            }
        }
    }

    @Test func `a session that the provider does not understand is opened anew, but not for ever`() async throws {
        for (lost, code) in [(1, nil), (2, KeyringError.Code.unavailable)] {
            try await KeyringTestWorld.run(.none) { world in
                try await world.session.startPlayedOO7(lostSessions: lost)
                let stored = await KeyringTestWorld.code { try await world.keyring.store(KeyringTestWorld.item("one")) }
                #expect(stored == code)
                guard code == nil else { return }
                #expect(try await world.keyring.items(matching: attributes).map(\.secret) == [Secret("one")])
            }
        }
    }

    @Test func `one that has taken the items over is believed`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedOO7(holding: attributes, secret: "one")
            let keyring = restarted(world, holder: "gnome-keyring-d")
            #expect(try await keyring.items(matching: attributes).map(\.secret) == [Secret("one")])
            #expect(await keyring.holder == "oo7-daemon")
        }
    }

    @Test func `the one that held the items before is believed, empty or not`() async throws {
        try await KeyringTestWorld.run { world async throws in
            #expect(try await restarted(world, holder: "gnome-keyring-d").items(matching: attributes).isEmpty)
            #expect(try await restarted(world, holder: nil).items(matching: attributes).isEmpty)
        }
    }
}
