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
        return Task { @LoopActor in
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

    @LoopActor @Test func `a bad ID token refuses the import, naming the check`() async throws {
        let world = World([try .openID()])
        let issuer = try TestIssuer()
        world.transport.documents = issuer.documents
        await world.start()
        let task = try importing(world)
        let idToken = try issuer.idToken(["aud": "other"], at: world.clock.now)
        await world.transport.next().answer(.token("A1", refresh: "I2", ["id_token": .string(idToken)]))
        let error = failure(await task.value)
        #expect(error?.kind == .loginFailed)
        #expect(error?.data["check"] == "audience")
        #expect(world.store.kept.isEmpty)
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
