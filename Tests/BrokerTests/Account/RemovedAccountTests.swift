// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// An account whose file is gone, and somebody who still holds on to it.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct RemovedAccountTests {
    /// The account of a grant whose token is over, after its file has gone.
    @LoopActor private func removed(_ configuration: AccountConfiguration) async throws -> (World, Account) {
        let isOwn = configuration.flow == .clientCredentials
        let world = isOwn ? World([configuration]) : await World.signedIn(configuration)
        if isOwn { await world.start() }
        let account = try world.account()
        world.reconfigure()
        return (world, account)
    }

    private func failure<Value>(_ body: () async throws(ProtocolError) -> Value) async -> ErrorKind? {
        do throws(ProtocolError) {
            _ = try await body()
            return nil
        } catch {
            return error.kind
        }
    }

    @LoopActor @Test func `whatever is asked of it is answered with account_unknown, at once`() async throws {
        let (world, account) = try await removed(try .plain())
        #expect(ClientCall(TokenDemand(), to: account).answer.map { ErrorKind(of: $0) } == .accountUnknown)
        #expect(ClientCall(.fresh, to: account).answer.map { ErrorKind(of: $0) } == .accountUnknown)
        let imported = await failure { () throws(ProtocolError) in
            try await account.importGrant(Secret("I1"), scope: nil)
        }
        #expect(imported == .accountUnknown)
        let started = await failure { () throws(ProtocolError) in
            try account.startLogin(LoginParameters(), id: "x", timeout: 60)
        }
        #expect(started == .accountUnknown)
        await settle()
        #expect(!account.isBusy && world.transport.requests.isEmpty)
    }

    @LoopActor @Test(arguments: [AccountFlow.browser, .clientCredentials])
    func `a renewal that is begun for it all the same ends, and keeps nobody busy`(flow: AccountFlow) async throws {
        var configuration = try AccountConfiguration.plain()
        configuration.flow = flow
        let (world, account) = try await removed(configuration)
        let (_, actions) = account.grant.demand(.fresh)
        #expect(account.grant.isBusy)
        account.perform(actions)
        await settle()
        #expect(!account.isBusy && !world.broker.isRefreshing)
        #expect(world.transport.requests.isEmpty && world.store.writeCount == 0)
        // The file comes back: nothing of that is left.
        world.reconfigure(configuration)
        let call = try world.get(.fresh)
        await world.transport.next().answer(.token("A2"))
        #expect(await call.token() == "A2")
    }
}

extension ErrorKind {
    /// An answer's; nil for a token.
    fileprivate init?(of answer: ClientCall.Answer) {
        guard case .failure(let error) = answer else { return nil }
        self = error.kind
    }
}
