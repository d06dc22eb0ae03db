// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct KeePassXCTests {
    private let attributes = KeyringTestWorld.attributes

    @Test func `KeePassXC stores, replaces, finds and removes`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKeePassXC()
            let keyring = world.keyring
            #expect(try await keyring.items(matching: attributes).isEmpty)
            try await keyring.store(KeyringTestWorld.item("one"))
            try await keyring.store(KeyringTestWorld.item(String(repeating: "x", count: 262_144)))
            let found = try await keyring.items(matching: attributes)
            #expect(found.map(\.secret.count) == [262_144])
            #expect(found.first?.attributes["account"] == "work")
            #expect(try await keyring.remove(matching: attributes) == 1)
            #expect(try await keyring.items(matching: attributes).isEmpty)
        }
    }

    @Test func `a locked KeePassXC is locked, not empty, and a store does not wait for a person`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKeePassXC()
            let keyring = world.keyring
            try await keyring.store(KeyringTestWorld.item("one"))
            try await world.session.lockKeePassXC()
            #expect(await keyring.state() == .locked)
            #expect(await KeyringTestWorld.code { _ = try await keyring.items(matching: attributes) } == .locked)
            #expect(await KeyringTestWorld.code { try await keyring.store(KeyringTestWorld.item("two")) } == .locked)
            #expect(await KeyringTestWorld.code { try await keyring.remove(matching: attributes) } == .locked)
            try await world.session.unlockKeePassXC()
            #expect(try await keyring.items(matching: attributes).map(\.secret) == [Secret("one")])
        }
    }

    @Test func `while a person is asked, the others are told at once; the deadline takes the prompt away`() async throws
    {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKeePassXC()
            let keyring = world.keyring
            try await keyring.store(KeyringTestWorld.item("one"))
            try await world.session.lockKeePassXC()
            async let unlocked = KeyringTestWorld.code { try await keyring.unlock(timeout: .seconds(6)) }
            await world.waitForPrompt()
            #expect(await unlocked == .timedOut)
            #expect(await keyring.state() == .locked)
            #expect(await KeyringTestWorld.code { _ = try await keyring.items(matching: attributes) } == .locked)
            // Debian 13's (2.7.10) leaves its window open, and then answers no call from outside to open the database.
            try await world.session.killKeyring()
            try await world.session.startKeePassXC()
            #expect(try await keyring.items(matching: attributes).map(\.secret) == [Secret("one")])
        }
    }

    @Test func `an item that KeePassXC has a person confirm is locked, and not replaced behind a prompt (F5)`()
        async throws
    {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKeePassXC(confirming: true)
            let item = KeyringTestWorld.item("one")
            try await world.keyring.store(item)
            try await world.keyring.store(item)
            #expect(try await world.keyring.items(matching: attributes).map(\.secret) == [item.secret])

            let restarted = world.anotherKeyring()
            #expect(await restarted.state() == .ready)
            #expect(await KeyringTestWorld.code { _ = try await restarted.items(matching: attributes) } == .locked)
            #expect(await KeyringTestWorld.code { try await restarted.store(item) } == .locked)
            #expect(await KeyringTestWorld.code { try await restarted.remove(matching: attributes) } == .locked)
            let unlock = await KeyringTestWorld.code {
                try await restarted.unlock(matching: attributes, timeout: .milliseconds(500))
            }
            #expect(unlock == .timedOut)
        }
    }

    @Test func `another program in KeePassXC's place is not believed until a person accepts it`() async throws {
        try await KeyringTestWorld.run(.none, activatable: true) { world in
            try await world.session.startKeePassXC()
            let keyring = world.keyring
            try await keyring.store(KeyringTestWorld.item("one"))
            // Asked to end, not killed: it saves a moment after it has answered a store.
            try await world.session.killKeyring(signal: 15)
            #expect(await keyring.state() == .unavailable)
            #expect(try await !world.session.hasProvider())

            try await world.session.startKeyring(unlocked: true)
            let error = await #expect(throws: KeyringError.self) { try await keyring.items(matching: attributes) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("keepassxc") == true)
            try await world.session.killKeyring()
            try await world.session.startKeePassXC()
            #expect(try await keyring.items(matching: attributes).map(\.secret) == [Secret("one")])

            try await world.session.killKeyring()
            try await world.session.startKeyring(unlocked: true)
            try await keyring.unlock(timeout: .seconds(5))
            #expect(try await keyring.items(matching: attributes).isEmpty)
        }
    }
}
