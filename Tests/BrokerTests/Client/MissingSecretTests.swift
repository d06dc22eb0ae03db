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

/// A client without what it needs to authenticate: reported before anything is sent, with how to supply it.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct MissingSecretTests {
    @LoopActor private func stand(_ account: AccountConfiguration) async -> World {
        await World.signedIn(account)
    }

    @LoopActor @Test func `a refresh is not sent, the grant is as it was, and the secret lets it go on`() async throws {
        let account = try AccountConfiguration.showing(.clientSecretBasic)
        let world = await stand(account)
        let error = await (try world.get()).failure()
        #expect(error?.kind == .configInvalid && error?.data["member"] == "client_authentication")
        #expect(error?.data["file"]?.string == account.file)
        #expect(error?.message.hasSuffix("give it with: tokenctl account secret work") == true)
        #expect(world.transport.requests.isEmpty)
        #expect(world.store.member("pending") == nil && world.store.member("refresh_token")?.string == "R1")
        let status = try world.account().status
        #expect(status.state == .misconfigured && status.fault?.kind == .configInvalid)
        try await world.account().giveSecret(.clientSecret, Secret("s3cr3t"))
        let call = try world.get()
        let exchange = await world.transport.next()
        #expect(exchange.request.headers["Authorization"] != nil)
        exchange.answer(.token("A2", refresh: "R2"))
        #expect(await call.token() == "A2")
        #expect(try world.account().status.state == .ready)
    }

    @LoopActor @Test func `a held token is served all the same`() async throws {
        let world = await World.signedIn(try .showing(.clientSecretPost), age: 60)
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
    }

    @LoopActor @Test func `a locked store is not a missing secret`() async throws {
        let world = await World.withSecret(try .showing(.clientSecretBasic))
        world.store.fault = MemoryCredentialStore.locked
        let error = await (try world.get()).failure()
        #expect(error?.kind == .storeLocked)
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a secret goes only where it was given for`() async throws {
        let account = try AccountConfiguration.showing(.clientSecretBasic)
        let world = World([account])
        world.give(.clientSecret, "s3cr3t", to: account)
        var moved = account
        moved.endpoints.token = try WebURL("https://evil.example/token")
        world.store.put(GrantRecord.signedIn(moved, at: world.clock.now, age: 3600).item(for: moved))
        world.files.configuration = Configuration([moved])
        world.broker.reload()
        await world.start()
        let error = await (try world.get()).failure()
        #expect(error?.kind == .configInvalid && error?.message.contains("another client or provider") == true)
        #expect(world.transport.requests.isEmpty)
        // Another way to show it is no other place.
        var otherwise = account
        otherwise.clientAuthentication = .clientSecretPost
        #expect(
            ClientDestination(account: account, wire: .init()) == ClientDestination(account: otherwise, wire: .init())
        )
    }

    @LoopActor @Test func `no browser opens for a sign-in that could not end`() async throws {
        var account = try AccountConfiguration.openID()
        account.clientAuthentication = .clientSecretBasic
        let stand = try await LoginStand([account])
        defer { stand.end() }
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.kind == .configInvalid && error?.message.contains("tokenctl account secret work") == true)
        #expect(stand.world.redirects.opened.isEmpty)
        stand.transport.documents[PlayedProvider.name] = .page(status: 200)
        let checks = await stand.client.call(.doctor, ["account": "work"]).value?["checks"]?.array
        let check = checks?.compactMap(\.object).first { $0["name"] == "client of work" }
        #expect(check?["result"] == "fail" && check?["mend"] == "tokenctl account secret work")
        let given = await stand.client.call(
            .accountSecret,
            ["account": "work", "kind": "client_secret", "value": "s3cr3t"]
        )
        #expect(given.value == [:])
        try await stand.signIn()
        let exchange = stand.transport.posts.first { $0.form["grant_type"] == "authorization_code" }
        #expect(exchange?.headers["Authorization"] == "Basic YXBwOnMzY3IzdA==")
        #expect(exchange?.form["client_id"] == nil && exchange?.form["code_verifier"] != nil)
    }

    @LoopActor @Test func `another way to show itself holds the grant back until the next sign-in`() async throws {
        let account = try AccountConfiguration.showing(.clientSecretBasic)
        let world = await World.withSecret(account)
        var edited = account
        edited.clientAuthentication = .clientSecretPost
        world.reconfigure(edited)
        let error = await (try world.get()).failure()
        #expect(error?.kind == .loginRequired && error?.data["reason"] == "config_changed")
        world.reconfigure(account)
        _ = try world.get()
        #expect(await world.transport.next().form["refresh_token"] == "R1")
    }
}
