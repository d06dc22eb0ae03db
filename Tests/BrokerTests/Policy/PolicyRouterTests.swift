// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Policy at the socket: this process is the client, and is named by its own file.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct PolicyRouterTests {
    private static let own = FileIdentity(at: "/proc/self/exe")

    private static var ownPattern: ClientPattern {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return .executable(String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    private static let other = ClientPattern.executable("/usr/bin/true")

    private static func account(_ change: (inout AccountPolicy) -> Void) throws -> AccountConfiguration {
        var account = try AccountConfiguration.plain()
        account.file = "/home/u/.config/tokend/accounts/work.json5"
        change(&account.policy)
        return account
    }

    @LoopActor private static func stand(_ change: (inout AccountPolicy) -> Void) async throws -> MethodStand {
        try MethodStand(await World.signedIn(try account(change), age: 60))
    }

    @Test @LoopActor func `a program that is named gets the token, each time by a look at it`() async throws {
        let stand = try await Self.stand { $0.allow = [.init(Self.ownPattern)] }
        defer { stand.end() }
        let client = try stand.client()
        for _ in 0..<3 {
            #expect(await client.call(.tokenGet, ["account": "work"]).value?["access_token"] == "A1")
            #expect(try stand.world.account().readyToken == nil)
        }
    }

    @Test @LoopActor func `another one is told why not, and what to write where`() async throws {
        let stand = try await Self.stand { $0.allow = [.init(Self.other)] }
        defer { stand.end() }
        let client = try stand.client()
        let error = try #require(await client.call(.tokenGet, ["account": "work"]).error)
        #expect(error.kind == .notAllowed && error.data["account"] == "work")
        #expect(error.data["client"]?.string == Self.ownPattern.text)
        #expect(error.message.contains("add \"\(Self.ownPattern.text)\" to `allow` in /home/u/"))
        // The default account is held to the same, and what is not about tokens is free.
        #expect(await client.call(.tokenGet).kind == .notAllowed)
        #expect(await client.call(.status).value != nil)
        #expect(await client.call(.hello).value != nil)
    }

    @Test @LoopActor func `an open account keeps its short way, and loses it with the first rule`() async throws {
        let stand = try await Self.stand { _ in }
        defer { stand.end() }
        let client = try stand.client()
        #expect(await client.call(.tokenGet, ["account": "work"]).value != nil)
        #expect(try stand.world.account().readyToken != nil)
        stand.world.reconfigure(try Self.account { $0.allow = [.init(Self.other)] })
        #expect(await client.call(.tokenGet, ["account": "work"]).kind == .notAllowed)
        stand.world.reconfigure(try Self.account { _ in })
        #expect(await client.call(.tokenGet, ["account": "work"]).value != nil)
    }

    @Test @LoopActor func `what changes an account is for those that are named`() async throws {
        let stand = try await Self.stand { $0.administration = [.init(Self.other)] }
        defer { stand.end() }
        let client = try stand.client()
        let work: JSONObject = ["account": "work"]
        let calls: [(Method, JSONObject)] = [
            (.loginStart, work), (.logout, work), (.accountShow, work), (.accountRemove, work), (.accountPause, [:]),
            (.accountRefresh, work), (.accountAdd, ["account": "work", "config": [:], "replace": true]),
            (.accountImport, ["account": "work", "refresh_token": "R9"]), (.logout, [:]),
        ]
        for (method, params) in calls { #expect(await client.call(method, params).kind == .notAllowed, "\(method)") }
        #expect(await client.call(.tokenGet, work).value?["access_token"] == "A1")
        #expect(await client.call(.accountList).value != nil)
        stand.world.reconfigure(try Self.account { $0.administration = [.init(Self.ownPattern)] })
        #expect(await client.call(.accountShow, work).kind != .notAllowed)
    }

    @Test @LoopActor func `a login is for those that may sign in to its account`() async throws {
        let stand = try await Self.stand { _ in }
        defer { stand.end() }
        let client = try stand.client()
        let started = try await client.call(.loginStart, ["account": "work"]).get()
        let id: JSONObject = ["login_id": started["login_id"] ?? .null]
        // The settings but for the rules are the same: the login goes on.
        stand.world.reconfigure(try Self.account { $0.administration = [.init(Self.other)] })
        for method in [Method.loginCancel, .loginWait] {
            let kind = await client.call(method, id).kind
            #expect(kind == .notAllowed || kind == .loginUnknown, "\(method)")
        }
    }

    @Test @LoopActor func `a file with a fault does not open the account`() async throws {
        let stand = try await Self.stand { $0.administration = [.init(Self.other)] }
        defer { stand.end() }
        var broken = Configuration([])
        broken.accounts["work"] = .misconfigured([ConfigurationFault(file: "work.json5", message: "x")])
        stand.world.files.configuration = broken
        stand.world.broker.reload()
        let client = try stand.client()
        #expect(await client.call(.logout, ["account": "work"]).kind == .notAllowed)
    }

    @Test @LoopActor func `the administrator's no goes for everything but a look`() async throws {
        let stand = try await Self.stand { _ in }
        defer { stand.end() }
        let client = try stand.client()
        #expect(await client.call(.tokenGet).value != nil)
        stand.world.files.configuration.daemon.administrator.deny = [Self.ownPattern]
        stand.world.broker.reload()
        let error = await client.call(.tokenGet).error
        #expect(error?.kind == .notAllowed && error?.message.contains("/etc/tokend/policy.json5") == true)
        #expect(await client.call(.configReload).kind == .notAllowed)
        #expect(await client.call(.status).value != nil)
    }

    @Test @LoopActor func `a refusal is logged once a minute for the same program and account`() async throws {
        let stand = try await Self.stand { $0.allow = [] }
        defer { stand.end() }
        let client = try stand.client()
        for _ in 0..<5 { _ = await client.call(.tokenGet) }
        #expect(stand.world.log.refusals.count == 1)
        let refusal = try #require(stand.world.log.refusals.first)
        #expect(refusal.account == "work" && refusal.client == Self.ownPattern.text && refusal.method == "token.get")
        #expect(refusal.pid == getpid())
        await stand.world.clock.advance(by: .seconds(61))
        _ = await client.call(.tokenGet)
        #expect(stand.world.log.refusals.count == 2)
    }
}

extension RecordingLog {
    /// What policy refused.
    var refusals: [Refused] {
        events.compactMap { event in
            guard case .refused(let refusal) = event else { return nil }
            return refusal
        }
    }
}
