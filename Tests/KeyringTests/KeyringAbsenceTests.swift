// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Linux
import Secrets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyringAbsenceTests {
    private let attributes = KeyringTestWorld.attributes

    @Test func `no bus is unavailable, and says where it was looked for (F2)`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            for address in [nil, "unix:path=\(world.session.folder)/none", "nonsense"] {
                let keyring = Keyring(busAddress: { address })
                let error = await #expect(throws: KeyringError.self) {
                    try await keyring.items(matching: attributes)
                }
                #expect(error?.code == .unavailable)
                #expect(error?.message.contains("message bus") == true)
                // There may be no user manager to ask for anything.
                #expect(error?.message.contains("systemctl") == false)
            }
        }
    }

    @Test func `a bus without a provider is unavailable, and names what to install (F2)`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            let error = await #expect(throws: KeyringError.self) {
                try await world.keyring.store(KeyringTestWorld.item("one"))
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("gnome-keyring") == true)
            try await world.session.startKeyring(unlocked: true)
            try await world.keyring.store(KeyringTestWorld.item("one"))
        }
    }

    @Test func `the bus starts a provider that nobody has started`() async throws {
        try await KeyringTestWorld.run(.none, activatable: true) { world in
            let error = await #expect(throws: KeyringError.self) { try await world.keyring.provider() }
            #expect(error?.message.contains("default collection") == true)
            let hasProvider = try await world.session.hasProvider()
            #expect(hasProvider)
        }
    }

    @Test func `a killed provider is unavailable, and usable when it is back`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            let before = try await world.keyring.provider()
            #expect(before.processID == world.session.keyringProcessID)
            #expect(before.program == "gnome-keyring-d")
            try await world.session.killKeyring()
            #expect(await world.keyring.state() == .unavailable)
            try await world.session.startKeyring(unlocked: true)
            #expect(try await world.keyring.items(matching: attributes) == [KeyringTestWorld.item("one")])
            #expect(try await world.keyring.provider() != before)
        }
    }

    @Test func `a provider that was there is not replaced by one that the bus would start`() async throws {
        try await KeyringTestWorld.run(activatable: true) { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.session.killKeyring()
            #expect(
                await KeyringTestWorld.code { _ = try await world.keyring.items(matching: attributes) } == .unavailable
            )
            #expect(try await !world.session.hasProvider())
            // A user's own request starts it; locked, and without anybody who could ask for the password.
            #expect(await KeyringTestWorld.code { try await world.keyring.unlock(timeout: .seconds(10)) } == .dismissed)
            #expect(await world.keyring.state() == .locked)
        }
    }

    @Test func `a frozen provider is answered for in time, and usable when it thaws`() async throws {
        try await KeyringTestWorld.run(deadline: .seconds(1)) { world in
            let keyring = world.keyring
            try await world.anotherKeyring().store(KeyringTestWorld.item("one"))
            world.session.freezeKeyring()
            let start = ContinuousClock.now
            await withTaskGroup(of: KeyringError.Code?.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        await KeyringTestWorld.code { _ = try await keyring.items(matching: ["account": "work"]) }
                    }
                }
                for await code in group {
                    #expect(code == .timedOut)
                }
            }
            #expect(ContinuousClock.now - start < .seconds(3))
            world.session.thawKeyring()
            #expect(try await world.anotherKeyring().items(matching: attributes).count == 1)
            #expect(try await keyring.items(matching: attributes) == [KeyringTestWorld.item("one")])
        }
    }

    @Test func `an unlock of a frozen provider ends in time, and does not hold up what follows`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.session.lockKeyring()
            world.session.freezeKeyring()
            #expect(
                await KeyringTestWorld.code { try await world.keyring.unlock(timeout: .milliseconds(200)) }
                    == .timedOut
            )
            world.session.thawKeyring()
            try await world.session.unlockKeyring()
            #expect(try await world.keyring.items(matching: attributes) == [KeyringTestWorld.item("one")])
        }
    }

    @Test func `a bus that ends is unavailable, and the process lives on`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            await world.session.stop()
            #expect(await world.keyring.state() == .unavailable)
        }
    }

    @Test func `the bus's address is the variable's, else the runtime directory's socket`() async throws {
        try await KeyringTestWorld.run(.none) { world in
            let runtime = world.session.folder + "/run"
            let resolve = SessionBusAddress.resolve(environment:)
            #expect(
                resolve(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "XDG_RUNTIME_DIR": "/none"]) == "unix:path=/x"
            )
            #expect(resolve(["XDG_RUNTIME_DIR": runtime]) == "unix:path=\(runtime)/bus")
            #expect(resolve(["XDG_RUNTIME_DIR": "/none", "DBUS_SESSION_BUS_ADDRESS": ""]) == nil)
            #expect(resolve(["DISPLAY": ":0"]) == nil)
        }
    }
}
