// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct KWalletTests {
    private let attributes = KeyringTestWorld.attributes

    @Test func `KWallet stores, replaces, finds and removes`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKWallet()
            let keyring = world.keyring
            #expect(try await keyring.items(matching: attributes).isEmpty)
            try await keyring.store(KeyringTestWorld.item("one"))
            try await keyring.store(KeyringTestWorld.item(String(repeating: "x", count: 262_144)))
            let found = try await world.anotherKeyring().items(matching: attributes)
            #expect(found.map(\.secret.count) == [262_144])
            #expect(found.first?.attributes["account"] == "work")
            #expect(try await keyring.remove(matching: attributes) == 1)
            #expect(try await keyring.items(matching: attributes).isEmpty)
        }
    }

    @Test func `a closed wallet is locked, not empty, and nobody is asked for its password`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKWallet()
            let keyring = world.keyring
            try await keyring.store(KeyringTestWorld.item("one"))
            try await world.session.lockWallet()
            #expect(await keyring.state() == .locked)
            #expect(await KeyringTestWorld.code { _ = try await keyring.items(matching: attributes) } == .locked)
            #expect(await KeyringTestWorld.code { try await keyring.store(KeyringTestWorld.item("two")) } == .locked)
            #expect(await KeyringTestWorld.code { try await keyring.remove(matching: attributes) } == .locked)
            // With a dialog on the screen PAM could not open it.
            try await world.session.openWallet()
            #expect(try await keyring.items(matching: attributes).map(\.secret) == [Secret("one")])
        }
    }

    @Test func `a wallet that PAM has opened is unlocked without a question, whatever is asked for first`() async throws
    {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKWallet(opened: false)
            #expect(await world.keyring.state() == .locked)
            let uses: [(Keyring) async throws -> Void] = [
                { _ = try await $0.provider() }, { try await $0.store(KeyringTestWorld.item("one")) },
                { _ = try await $0.items(matching: attributes) }, { try await $0.remove(matching: attributes) },
            ]
            for use in uses {
                try await world.session.openWallet()
                try await use(world.keyring)
                try await world.session.killKeyring()
                try await world.session.startKWallet(opened: false)
            }
        }
    }

    @Test func `a wallet that asks about each program is left to the user`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKWallet(asking: true)
            let (address, environment) = (world.session.busAddress, world.session.environment)
            let keyring = Keyring(
                busAddress: { address },
                walletAsks: { KWalletSettings.asksForEachProgram(environment: environment) }
            )
            #expect(await keyring.state() == .locked)
            #expect(await KeyringTestWorld.code { _ = try await keyring.items(matching: attributes) } == .locked)
        }
    }

    @Test func `without a wallet KDE's own program is named that makes one (F7)`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startEmptyKWallet()
            let error = await #expect(throws: KeyringError.self) {
                try await world.keyring.store(KeyringTestWorld.item("one"))
            }
            #expect(error?.code == .unavailable && error?.provider == "kwalletd5")
            #expect(error?.message.contains("KWalletManager") == true)
        }
    }

    @Test func `what KWallet has taken and given up is on the disk, however it ends`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            try await world.session.startKWallet()
            for secret in ["one", "two"] {
                try await world.keyring.store(KeyringTestWorld.item(secret))
                try await world.session.killKeyring()
                try await world.session.startKWallet()
                #expect(try await world.keyring.items(matching: attributes).map(\.secret) == [Secret(secret)])
            }
            try await world.keyring.remove(matching: attributes)
            try await world.session.killKeyring()
            try await world.session.startKWallet()
            #expect(try await world.keyring.items(matching: attributes).isEmpty)
        }
    }
}
