// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyringPromptTests {
    @Test func `an answered prompt unlocks`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedProvider(prompt: .answered)
            #expect(await world.keyring.state() == .locked)
            try await world.keyring.unlock(matching: KeyringTestWorld.attributes, timeout: .seconds(10))
            #expect(await world.keyring.state() == .ready)
            #expect(try await world.keyring.items(matching: KeyringTestWorld.attributes).isEmpty)
        }
    }

    @Test func `a prompt that the person closes is dismissed (F4)`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedProvider(prompt: .dismissed)
            let code = await KeyringTestWorld.code { try await world.keyring.unlock(timeout: .seconds(10)) }
            #expect(code == .dismissed)
            #expect(await world.keyring.state() == .locked)
        }
    }

    @Test func `a prompt that nobody answers holds up nobody else, and not for ever`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            let keyring = world.keyring
            try await world.session.startPlayedProvider(prompt: .ignored)
            async let first = KeyringTestWorld.code { try await keyring.unlock(timeout: .seconds(6)) }
            await world.waitForPrompt()
            let start = ContinuousClock.now
            #expect(await keyring.state() == .locked)
            #expect(ContinuousClock.now - start < .seconds(3))
            #expect(await first == .timedOut)
            try await world.session.killKeyring()
            try await world.session.startKeyring(unlocked: true)
            try await keyring.store(KeyringTestWorld.item("one"))
        }
    }

    @Test func `a provider that ends with its prompt up is unavailable at once`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            let keyring = world.keyring
            try await world.session.startPlayedProvider(prompt: .ignored)
            async let unlock = KeyringTestWorld.code { try await keyring.unlock(timeout: .seconds(600)) }
            await world.waitForPrompt()
            try await world.session.killKeyring()
            #expect(await unlock == .unavailable)
        }
    }

    @Test func `a process ends without waiting for the keyring`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startPlayedProvider(prompt: .ignored)
            let address = world.session.busAddress
            await #expect(processExitsWith: .success) { [address = address as String] in
                KeyringTestWorld.runLoop()
                let keyring = Keyring(busAddress: { address })
                Task { try await keyring.unlock(timeout: .seconds(600)) }
                while await keyring.state() != .locked {}
                // On the way out of main, as the daemon goes.
                exitProcess()
            }
        }
    }
}
