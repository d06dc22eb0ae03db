// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Keyring
import Secrets
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct KeyringTests {
    private let attributes = KeyringTestWorld.attributes

    @Test func `what is stored is found again, whole`() async throws {
        try await KeyringTestWorld.run { world in
            let item = KeyringTestWorld.item(#"{"version":1,"text":"é\u0000"}"#)
            try await world.keyring.store(item)
            #expect(try await world.keyring.items(matching: attributes) == [item])
            #expect(try await world.anotherKeyring().items(matching: ["account": "work"]) == [item])
            #expect(await world.keyring.state() == .ready)
        }
    }

    @Test func `storing again replaces the item, another account's stays`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.keyring.store(KeyringTestWorld.item("other", account: "home"))
            try await world.keyring.store(KeyringTestWorld.item("two"))
            #expect(try await world.keyring.items(matching: attributes) == [KeyringTestWorld.item("two")])
            #expect(try await world.keyring.items(matching: ["application": "tokend"]).count == 2)
        }
    }

    @Test func `an unlocked keyring without the item says so`() async throws {
        try await KeyringTestWorld.run { world in
            let found = try await world.keyring.items(matching: attributes)
            #expect(found.isEmpty)
            #expect(try await world.keyring.remove(matching: attributes) == 0)
        }
    }

    @Test func `removing takes all that match and counts them`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("one"))
            try await world.keyring.store(KeyringTestWorld.item("two", account: "home"))
            #expect(try await world.keyring.remove(matching: ["application": "tokend"]) == 2)
            #expect(try await world.keyring.items(matching: ["application": "tokend"]).isEmpty)
        }
    }

    @Test func `other programs see the schema and the content type, and may delete the item`() async throws {
        try await KeyringTestWorld.run { world in
            try await world.keyring.store(KeyringTestWorld.item("{}"))
            let found = try await world.session.run("secret-tool", ["search", "account", "work"])
            #expect(found.output.contains("schema = org.tokend.Grant"))
            #expect(found.output.contains("label = tokend: work at id.example"))
            try await world.session.run("secret-tool", ["clear", "account", "work"])
            #expect(try await world.keyring.items(matching: attributes).isEmpty)
        }
    }

    @Test(arguments: [0, 8192, 262_144, 1_048_576])
    func `a secret of any size comes back (F8)`(size: Int) async throws {
        try await KeyringTestWorld.run { world in
            let item = KeyringTestWorld.item(String(repeating: "x", count: size))
            try await world.keyring.store(item)
            #expect(try await world.keyring.items(matching: attributes) == [item])
        }
    }

    @Test func `concurrent requests are all answered, each with its own`() async throws {
        try await KeyringTestWorld.run { world in
            let keyring = world.keyring
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let item = KeyringTestWorld.item("secret \(number)", account: "account \(number)")
                        try await keyring.store(item)
                        #expect(try await keyring.items(matching: item.attributes) == [item])
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await keyring.items(matching: ["application": "tokend"]).count == 20)
        }
    }
}
