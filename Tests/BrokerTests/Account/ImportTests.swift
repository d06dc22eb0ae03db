// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// `account.import`: a refresh token from elsewhere is tried with one refresh before it is stored.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ImportTests {
    /// An import under way, and its end.
    @LoopActor private func importing(_ world: World) throws -> Task<Result<LoginResult, ProtocolError>, Never> {
        let account = try world.account()
        return Task.onLoop {
            do throws(ProtocolError) {
                return .success(try await account.importGrant(Secret("I1"), scope: nil))
            } catch {
                return .failure(error)
            }
        }
    }

    private func failure(_ result: Result<LoginResult, ProtocolError>) -> ProtocolError? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    @LoopActor @Test func `a good one is stored and served, for whom its ID token names`() async throws {
        let world = World([try .openID()])
        let issuer = try TestIssuer()
        world.transport.documents = issuer.documents
        await world.start()
        let task = try importing(world)
        let exchange = await world.transport.next()
        #expect(exchange.form["refresh_token"] == "I1")
        let idToken = try issuer.idToken(["sub": "bob"], at: world.clock.now)
        exchange.answer(.token("A1", refresh: "I2", ["id_token": .string(idToken)]))
        let result = try await task.value.get()
        #expect(result.subject == "bob")
        #expect(world.store.member("refresh_token")?.string == "I2")
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
    }

    @LoopActor @Test(arguments: [HTTPResponse.oauthError("invalid_grant"), .page(status: 502)])
    func `one that the provider refuses leaves the account's grant as it was`(answer: HTTPResponse) async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        let before = world.store.kept
        let task = try importing(world)
        await world.transport.next().answer(answer)
        let error = failure(await task.value)
        #expect(error?.kind == (answer.status == 400 ? .loginFailed : .providerUnreachable))
        #expect(world.store.kept == before)
        #expect(try world.get().answer?.get().token.accessToken == Secret("A1"))
        #expect(world.log.endings.isEmpty)
    }

    @LoopActor @Test func `one that is refused leaves nothing in the store of an account without a grant`() async throws
    {
        let world = World([try .plain()])
        await world.start()
        let task = try importing(world)
        await world.transport.next().answer(.oauthError("invalid_grant"))
        #expect(failure(await task.value)?.data["oauth_error"] == "invalid_grant")
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a locked store uses nothing up`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        world.store.fault = MemoryCredentialStore.locked
        let task = try importing(world)
        #expect(failure(await task.value)?.kind == .storeLocked)
        #expect(world.transport.requests.isEmpty)
    }

    @LoopActor @Test func `a store that reads and does not write uses nothing up (engine rule 3)`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        let before = world.store.kept
        world.store.faults[.write] = [MemoryCredentialStore.unavailable]
        #expect(failure(await (try importing(world)).value)?.kind == .storeUnavailable)
        #expect(world.transport.requests.isEmpty && world.store.kept == before)
    }

    @LoopActor @Test func `keys that cannot be had use nothing up, and a good ID token finds them there`() async throws
    {
        let world = World([try .openID()])
        let issuer = try TestIssuer()
        world.transport.documents = issuer.documents
        world.transport.documents[TestIssuer.name + "/jwks"] = .page(status: 503)
        await world.start()
        #expect(failure(await (try importing(world)).value)?.kind == .providerUnreachable)
        #expect(world.transport.refreshes.isEmpty)
        world.transport.documents = issuer.documents
        let task = try importing(world)
        let exchange = await world.transport.next()
        world.transport.documents = [:]
        let token = try issuer.idToken(at: world.clock.now)
        exchange.answer(.token("A1", refresh: "I2", ["id_token": .string(token)]))
        _ = try await task.value.get()
        #expect(world.store.member("refresh_token")?.string == "I2")
    }

    @LoopActor @Test(arguments: [true, false])
    func `what the store refuses after the answer is kept, not served, and written once it is open (engine rule 4)`(
        hasGrant: Bool
    ) async throws {
        let world = hasGrant ? await World.signedIn(try .plain(), age: 0) : World([try .plain()])
        if !hasGrant { await world.start() }
        let task = try importing(world)
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.locked
        exchange.answer(.token("N", refresh: "I2"))
        let error = failure(await task.value)
        #expect(error?.kind == .storeLocked && error?.message.contains("kept in memory") == true)
        #expect(await (try world.get()).failure()?.kind == .storeLocked)
        #expect(world.broker.isRefreshing)
        world.store.fault = nil
        world.broker.storeSignalled()
        await settle()
        #expect(world.store.member("refresh_token")?.string == "I2")
        #expect(await (try world.get()).token() == "N")
        #expect(world.transport.refreshes.count == 1)
        await world.restart()
        #expect(await (try world.get()).token() == "N")
    }

    @LoopActor @Test func `a logout revokes what the store still owes`() async throws {
        let world = World([try .plain()])
        revoking(world)
        await world.start()
        let task = try importing(world)
        let exchange = await world.transport.next()
        world.store.fault = MemoryCredentialStore.unavailable
        exchange.answer(.token("N", refresh: "I2"))
        _ = await task.value
        world.store.fault = nil
        _ = await (try world.account()).logout(revoke: true)
        await world.clock.advance(by: .seconds(60))
        #expect(revoked(world).first == "I2" && world.store.kept.isEmpty)
    }

    /// Answers revocations by itself.
    @LoopActor private func revoking(_ world: World) {
        world.transport.script = { $0.url.path == "/revoke" ? .success(HTTPResponse(status: 200)) : nil }
    }

    @LoopActor private func revoked(_ world: World) -> [String] {
        world.transport.posts.filter { $0.url.path == "/revoke" }.compactMap { $0.form["token"] }
    }

    @LoopActor @Test(arguments: [true, false], [true, false])
    func `what comes after a logout is revoked, unless it shall not be (late result)`(
        revokes: Bool,
        isBeingWritten: Bool
    ) async throws {
        let world = World([try .plain()])
        revoking(world)
        await world.start()
        let task = try importing(world)
        let exchange = await world.transport.next()
        if isBeingWritten {
            world.store.held = [.write]
            exchange.answer(.token("N", refresh: "I2"))
            await world.store.holding()
        }
        _ = await (try world.account()).logout(revoke: revokes)
        exchange.answer(.token("N", refresh: "I2"))
        world.store.release()
        #expect(failure(await task.value)?.kind == .cancelled)
        await settle()
        #expect(revoked(world) == (revokes ? ["I2", "N"] : []))
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a token that the person still has is not revoked with the import`() async throws {
        let world = World([try .plain()])
        revoking(world)
        await world.start()
        let task = try importing(world)
        let exchange = await world.transport.next()
        _ = await (try world.account()).logout(revoke: true)
        exchange.answer(.token("N"))
        #expect(failure(await task.value)?.kind == .cancelled)
        await settle()
        #expect(revoked(world).isEmpty)
    }

    @LoopActor @Test func `what an answer that is not kept brought is revoked`() async throws {
        let world = World([try .openID()])
        let issuer = try TestIssuer()
        revoking(world)
        world.transport.documents = issuer.documents
        await world.start()
        let token = try issuer.idToken(["aud": "x"], at: world.clock.now)
        let task = try importing(world)
        await world.transport.next().answer(.token("A1", refresh: "I2", ["id_token": .string(token)]))
        #expect(failure(await task.value) != nil)
        await settle()
        #expect(revoked(world) == ["I2"])
    }

    @LoopActor
    @Test(arguments: [
        HTTPResponse.token("A1", refresh: "I2", ["token_type": "mac"]),
        HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Content-Length": "33"],
            body: Array(#"{"refresh_token":"I2","x":"a" "b"}"#.utf8)
        ),
    ])
    func `an answer that is of no use costs no grant: its refresh token is taken over, and the import says why`(
        answer: HTTPResponse
    ) async throws {
        let world = World([try .openID()])
        revoking(world)
        world.transport.documents = try TestIssuer().documents
        await world.start()
        let task = try importing(world)
        await world.transport.next().answer(answer)
        #expect(failure(await task.value)?.message.contains("was taken over") == true)
        #expect(world.store.member("refresh_token")?.string == "I2" && revoked(world).isEmpty)
        _ = try world.get()
        #expect(await world.transport.next().form["refresh_token"] == "I2")
    }

    @LoopActor @Test func `a stop waits for it`() async throws {
        let world = World([try .plain()])
        await world.start()
        let task = try importing(world)
        let exchange = await world.transport.next()
        #expect(world.broker.isRefreshing)
        world.broker.stop()
        exchange.answer(.token("N", refresh: "I2"))
        _ = try await task.value.get()
        #expect(!world.broker.isRefreshing && world.store.member("refresh_token")?.string == "I2")
    }

    @LoopActor @Test(arguments: [200, 403, 503])
    func `an application's backend is asked once the token is in the store`(status: Int) async throws {
        var account = try AccountConfiguration.plain()
        account.exchange = ApplicationExchange(url: try WebURL("https://app.example/session"))
        account.exchange?.subject = .accessToken
        let world = World([account])
        await world.start()
        let task = try importing(world)
        await world.transport.next().answer(.token("N", refresh: "I2"))
        let backend = await world.transport.next()
        #expect(backend.request.url.host == "app.example")
        #expect(world.store.member("refresh_token")?.string == "I2")
        backend.answer(.json(status == 200 ? ["token": "S1"] : ["error": "no"], status: status))
        let result = await task.value
        switch status {
        case 200: #expect(await (try world.get()).token() == "S1")
        case 403: #expect(failure(result)?.kind == .providerError)
        default: #expect(try result.get().renewable == true)
        }
        #expect(world.store.member("refresh_token")?.string == "I2")
    }

    @LoopActor @Test func `a logout meanwhile gives it up, and nothing comes back to life`() async throws {
        let world = await World.signedIn(try .plain(), age: 0)
        let task = try importing(world)
        let exchange = await world.transport.next()
        _ = await (try world.account()).logout(revoke: false)
        exchange.answer(.token("A2", refresh: "I2"))
        #expect(failure(await task.value)?.kind == .cancelled)
        #expect(world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a refresh of the old grant that ends meanwhile is not stored over it`() async throws {
        let world = await World.signedIn(try .plain())
        _ = try world.get()
        let old = await world.transport.next()
        let task = try importing(world)
        await world.transport.next().answer(.token("N", refresh: "I2"))
        _ = try await task.value.get()
        old.answer(.token("A2", refresh: "R2"))
        await settle()
        #expect(world.store.member("refresh_token")?.string == "I2")
        #expect(try world.get().answer?.get().token.accessToken == Secret("N"))
    }
}
