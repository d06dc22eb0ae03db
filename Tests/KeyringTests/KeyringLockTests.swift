// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyringLockTests {
    private let attributes = KeyringTestWorld.attributes

    @Test func `a keyring that was locked in between is locked, not empty`() async throws {
        try await KeyringTestWorld.run { world in
            let keyring = world.keyring
            try await keyring.store(KeyringTestWorld.item("one"))
            try await world.session.lockKeyring()
            #expect(await keyring.state() == .locked)
            await expectLocked(keyring, attributes)
            await expectLocked(keyring, ["application": "tokend", "account": "nobody's"])
            try await world.session.unlockKeyring()
            #expect(try await keyring.items(matching: attributes) == [KeyringTestWorld.item("one")])
        }
    }

    @Test func `a keyring that was locked since its start is locked, not empty`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.session.killKeyring()
            try await world.session.startKeyring(unlocked: false)
            let keyring = world.anotherKeyring()
            #expect(await keyring.state() == .locked)
            await expectLocked(keyring, attributes)
            try await world.session.unlockKeyring()
            #expect(try await keyring.items(matching: attributes) == [KeyringTestWorld.item("one")])
        }
    }

    @Test func `an unlock without anybody to ask is dismissed, and says what to do (F4)`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.session.lockKeyring()
            let error = await #expect(throws: KeyringError.self) {
                try await world.keyring.unlock(timeout: .seconds(10))
            }
            #expect(error?.code == .dismissed)
            #expect(error?.message.contains("password manager") == true)
        }
    }

    @Test func `an unlock of what is unlocked asks nobody`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.unlock(matching: attributes, timeout: .seconds(5))
        }
    }

    @Test func `a keyring without a default collection is unavailable, and says how to make one (F7)`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKeyring(unlocked: false)
            for body in requests(world.keyring, attributes) {
                let error = await #expect(throws: KeyringError.self) { try await body() }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("default collection") == true)
            }
        }
    }

    private func expectLocked(_ keyring: Keyring, _ attributes: [String: String]) async {
        for body in requests(keyring, attributes) {
            #expect(await KeyringTestWorld.code(of: body) == .locked)
        }
    }

    private func requests(
        _ keyring: Keyring,
        _ attributes: [String: String]
    ) -> [() async throws -> Void] {
        [
            { _ = try await keyring.items(matching: attributes) },
            { try await keyring.store(KeyringTestWorld.item("two")) },
            { try await keyring.remove(matching: attributes) },
        ]
    }
}
