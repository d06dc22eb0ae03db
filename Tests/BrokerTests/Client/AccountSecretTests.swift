// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import JOSE
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// `account.secret`, and the client secret of `account.add`: into the secret store, and nowhere else.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct AccountSecretTests {
    private static let config: JSONObject = [
        "issuer": "https://idp.example", "client_id": "app", "client_authentication": "client_secret_basic",
    ]

    @LoopActor @Test func `the secret of an account.add is in the store and not in the file`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let reply = await stand.client.call(
            .accountAdd,
            ["account": "bot", "config": .object(Self.config), "client_secret": "s3cr3t"]
        )
        #expect(reply.value?["account"] == "bot")
        let item = stand.store.clients["bot"]
        #expect(item?.kind == .client && item?.clientID == "app" && item?.issuer == "https://idp.example")
        let written = item.flatMap { MemoryCredentialStore.object(of: $0) }
        #expect(written?["client_secret"]?.object?["value"] == "s3cr3t")
        let file = stand.world.accountFiles.contents["bot"].map { String(decoding: $0, as: UTF8.self) }
        #expect(file?.contains("client_secret_basic") == true && file?.contains("s3cr3t") == false)
    }

    @LoopActor @Test func `where the store is locked no account is made`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.fault = MemoryCredentialStore.locked
        let reply = await stand.client.call(
            .accountAdd,
            ["account": "bot", "config": .object(Self.config), "client_secret": "s3cr3t"]
        )
        #expect(reply.kind == .storeLocked)
        #expect(stand.world.accountFiles.contents["bot"] == nil)
    }

    @LoopActor @Test func `a secret that nothing would send is refused, and so is one that none can be`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        let unused = await stand.client.call(
            .accountSecret,
            ["account": "work", "kind": "client_secret", "value": "s3cr3t"]
        )
        #expect(unused.kind == .configInvalid && unused.error?.message.contains("s3cr3t") == false)
        #expect(unused.error?.message.contains("client_authentication") == true)
        let kind = await stand.client.call(.accountSecret, ["account": "work", "kind": "password", "value": "x"])
        #expect(kind.kind == .invalidParams && kind.error?.data["member"] == "kind")
        var account = try AccountConfiguration.openID()
        account.clientAuthentication = .clientSecretPost
        stand.world.reconfigure(account)
        for value in ["", "two\nlines"] {
            let reply = await stand.client.call(
                .accountSecret,
                ["account": "work", "kind": "client_secret", "value": .string(value)]
            )
            #expect(reply.kind == .invalidParams && reply.error?.data["member"] == "value")
        }
        #expect(stand.store.clients.isEmpty)
    }

    @LoopActor @Test func `a key is tried when it is given, and what is wrong with it is said`() async throws {
        var account = try AccountConfiguration.openID()
        account.clientAuthentication = .privateKeyJWT
        let stand = try await LoginStand([account])
        defer { stand.end() }
        let key = try SigningKey.generate(.es256)
        let bad = [
            "-----BEGIN PUBLIC KEY-----\nMFk\n-----END PUBLIC KEY-----\n": "public part",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMFk\n-----END ENCRYPTED PRIVATE KEY-----\n": "encrypted",
            "no key": "PEM", #"{"kty":"EC"}"#: "client key cannot be used",
        ]
        for (value, word) in bad {
            let reply = await stand.client.call(
                .accountSecret,
                ["account": "work", "kind": "client_key", "value": .string(value)]
            )
            #expect(reply.kind == .invalidParams && reply.error?.message.contains(word) == true)
        }
        for good in [try key.exportPEM(), try key.exportJWK()] {
            let reply = await stand.client.call(
                .accountSecret,
                ["account": "work", "kind": "client_key", "value": .string(good.reveal())]
            )
            #expect(reply.value == [:])
        }
    }

    @LoopActor private func removable() async throws -> LoginStand {
        var account = try AccountConfiguration.openID()
        account.clientAuthentication = .clientSecretBasic
        let stand = try await LoginStand([account])
        let params: JSONObject = ["account": "work", "kind": "client_secret", "value": "s3cr3t"]
        #expect(await stand.client.call(.accountSecret, params).value == [:])
        return stand
    }

    @LoopActor @Test func `the secret goes with its account, later where the store is locked`() async throws {
        let stand = try await removable()
        defer { stand.end() }
        stand.store.fault = MemoryCredentialStore.locked
        let reply = await stand.client.call(.accountRemove, ["account": "work"])
        #expect(reply.value?["removal_pending"] == true)
        #expect(stand.store.clients["work"] != nil)
        stand.store.fault = nil
        stand.world.broker.storeOpened()
        await settle()
        #expect(stand.store.clients["work"] == nil)
        #expect(stand.world.state.kept.clientRemovals.isEmpty)
    }

    @LoopActor @Test func `an account that is made anew does not find the old one's secret`() async throws {
        let stand = try await removable()
        defer { stand.end() }
        // More than the removal and what follows it try.
        stand.store.faults[.remove] = Array(repeating: MemoryCredentialStore.locked, count: 8)
        _ = await stand.client.call(.accountRemove, ["account": "work"])
        #expect(stand.store.clients["work"] != nil && stand.world.state.kept.clientRemovals == ["work"])
        #expect(await stand.client.call(.loginStart, ["account": "work"]).kind == .configInvalid)
        let params: JSONObject = ["account": "work", "kind": "client_secret", "value": "an0ther"]
        #expect(await stand.client.call(.accountSecret, params).value == [:])
        #expect(stand.world.state.kept.clientRemovals.isEmpty)
        _ = try await stand.start()
    }
}
