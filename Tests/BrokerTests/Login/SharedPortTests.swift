// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Two accounts whose provider knows one fixed port, at the same time (D12).
@Suite(.onLoop, .timeLimit(.minutes(1))) struct SharedPortTests {
    @LoopActor private func stand(_ first: String, _ second: String) async throws -> LoginStand {
        try await LoginStand(
            zip(["work", "home"], [first, second]).map { name, redirect in
                var account = try AccountConfiguration.openID(name)
                account.redirects = [try RedirectURI(redirect)]
                return account
            }
        )
    }

    /// The browser of one login is redirected and shown the last page.
    @LoopActor private func end(_ login: LoginStand.Started, of account: String, _ stand: LoginStand) async throws {
        let answer = stand.bringCode(login)
        await stand.transport.next().answer(try stand.tokens(login))
        let page = try #require(await stand.page(after: await answer.value, of: login))
        guard case .signedIn(account: account, identity: _, provider: _) = page else {
            Issue.record("\(account) was shown \(page)")
            return
        }
        #expect(await stand.wait(login).value?["account"]?.string == account)
    }

    @Test(arguments: ["/cb", "/other"])
    @LoopActor func `two accounts share a fixed port, and each answer goes to its own login (D12)`(path: String)
        async throws
    {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8123\(path)")
        defer { stand.end() }
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        #expect(stand.world.redirects.opened.count == 1)
        try await end(home, of: "home", stand)
        #expect(work.listener.isOpen)
        try await end(work, of: "work", stand)
        #expect(!work.listener.isOpen)
    }

    @Test @LoopActor func `what is nobody's answer is refused and ends neither login (D12)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8123/other")
        defer { stand.end() }
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        let code: FormParameters = ["code": "C1", "state": "forged"]
        #expect(await stand.browse(work, code).value == .refused(status: 400))
        #expect(await stand.browse(home, code).value == .refused(status: 400))
        #expect(await stand.browse(home, code, path: "/favicon.ico").value == .refused(status: 404))
        let swapped: FormParameters = ["code": "C1", "state": work.state]
        #expect(await stand.browse(home, swapped).value == .refused(status: 400))
        let posted = RedirectRequest(method: .post, path: "/cb", query: nil, headers: ["Host": "127.0.0.1:8123"])
        #expect(await work.listener.receive(posted) == .refused(status: 405))
        let rebound = RedirectRequest(method: .get, path: "/cb", query: nil, headers: ["Host": "evil.example"])
        #expect(await work.listener.receive(rebound) == .refused(status: 421))
        try await end(work, of: "work", stand)
        try await end(home, of: "home", stand)
    }

    @Test @LoopActor func `a person's no ends the login that it is for, and no other (D5, D12)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8123/cb")
        defer { stand.end() }
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        let no: FormParameters = ["error": "access_denied", "state": home.state]
        let page = await stand.page(after: await stand.browse(home, no).value, of: home)
        #expect(page == .denied(account: "home", provider: "idp.example"))
        #expect(await stand.wait(home).kind == .loginFailed)
        try await end(work, of: "work", stand)
    }

    @Test @LoopActor func `a login that is cancelled leaves the port to the other one (D6, D12)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8123/cb")
        defer { stand.end() }
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        _ = await stand.client.call(.loginCancel, ["login_id": .string(work.id)])
        #expect(home.listener.isOpen)
        #expect(await stand.browse(work, ["code": "C1", "state": work.state]).value == .refused(status: 400))
        _ = await stand.client.call(.loginCancel, ["login_id": .string(home.id)])
        #expect(!home.listener.isOpen)
        #expect(try await stand.start(account: "work").listener !== work.listener)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8123/cb", "http://localhost:8123/cb"),
        ("http://localhost:8123/cb", "http://127.0.0.1:8123/cb"),
        ("http://[::1]:8123/cb", "http://localhost:8123/cb"), ("http://localhost:8123/cb", "http://localhost:8123/cb"),
        ("http://127.0.0.1:8123/cb", "http://[::1]:8123/cb"),
    ])
    @LoopActor func `localhost and the literal addresses share what they have in common (D7, D12)`(
        first: String,
        second: String
    ) async throws {
        let stand = try await stand(first, second)
        defer { stand.end() }
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        let opened = stand.world.redirects.opened
        // Every address that one of them needs is listened on once.
        let addresses = opened.flatMap(\.addresses)
        #expect(Set(addresses).count == addresses.count)
        let needed = try [first, second].flatMap { text -> Set<RedirectURI.LoopbackHost> in
            guard case .loopback(let host, _) = try RedirectURI(text).kind else { return [] }
            return host.addresses
        }
        #expect(Set(addresses) == Set(needed))
        try await end(home, of: "home", stand)
        if first != second { #expect(await stand.browse(work).value == .refused(status: 400)) }
        try await end(work, of: "work", stand)
        #expect(opened.allSatisfy { !$0.isOpen })
    }

    @Test @LoopActor func `localhost joins the one family that this machine has (D8, D12)`() async throws {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://localhost:8123/cb")
        defer { stand.end() }
        stand.world.redirects.missing = [.ipv6]
        let work = try await stand.start(account: "work")
        let home = try await stand.start(account: "home")
        #expect(stand.world.redirects.opened.count == 1)
        try await end(home, of: "home", stand)
        try await end(work, of: "work", stand)
    }

    @Test @LoopActor func `where another program has one family of localhost, the login is refused (D7, D9, D12)`()
        async throws
    {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://localhost:8123/cb")
        defer { stand.end() }
        _ = try await stand.start(account: "work")
        stand.world.redirects.refused[.ipv6] = RedirectFault(message: "port 8123 on [::1] is taken by python3")
        let error = await stand.client.call(.loginStart, ["account": "home"]).error
        #expect(error?.kind == .configInvalid && error?.message.contains("port 8123 on [::1]") == true)
        #expect(stand.world.redirects.opened.count == 1 && stand.world.redirects.opened[0].isOpen)
    }

    @Test @LoopActor func `a new login of the same account has the port while the old one's page is due (D12)`()
        async throws
    {
        let stand = try await stand("http://127.0.0.1:8123/cb", "http://127.0.0.1:8124/cb")
        defer { stand.end() }
        let first = try await stand.start(account: "work")
        let answer = stand.bringCode(first)
        await stand.transport.next().answer(try stand.tokens(first))
        let redirect = await answer.value
        let second = try await stand.start(account: "work")
        #expect(second.redirectURI == first.redirectURI && second.id != first.id)
        let page = await stand.page(after: redirect, of: first)
        #expect(page == .signedIn(account: "work", identity: "alice@idp.example", provider: "idp.example"))
        #expect(await stand.browse(second, ["code": "C1", "state": first.state]).value == .refused(status: 400))
        try await end(second, of: "work", stand)
        #expect(!second.listener.isOpen)
    }
}
