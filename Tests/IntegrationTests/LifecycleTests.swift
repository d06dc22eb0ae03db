// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Starts, stops, crashes and second daemons.
    @Suite struct Lifecycle {
        @Test func `after a crash the grant is there, and the dead daemon's socket is taken over`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                try await stand.daemon.kill()
                let next = try await DaemonProcess.start(stand.world)
                let token = try await next.connect().result("token.get", ["account": "work"])
                #expect(token["access_token"] == held)
                #expect(stand.provider.count(.token) == 1)
                try await next.stop()
            }
        }

        @Test func `a second daemon ends with a sentence, and the first serves on`() async throws {
            try await Stand.with { stand in
                let second = try DaemonProcess(stand.world)
                #expect(try await second.process.exit() == .code(73))
                #expect(!second.log.isEmpty)
                _ = try await stand.client.result("hello")
                #expect(try stand.daemon.connect().sendLine(""))
            }
        }

        @Test func `a second daemon at another socket is kept from the same keyring`() async throws {
            try await Stand.with { stand in
                let elsewhere = stand.session.folder + "/elsewhere.sock"
                let second = try DaemonProcess(stand.world, arguments: ["--socket", elsewhere])
                #expect(try await second.process.exit() == .code(73))
                #expect(access(elsewhere, F_OK) != 0)
                _ = try await stand.client.result("hello")
            }
        }

        @Test func `a planned stop answers who waits, says so, and takes its socket away`() async throws {
            try await Stand.with { stand in
                let login = try await stand.startLogin()
                let wait = stand.client.ask("login.wait", ["login_id": .string(login.id)])
                #expect(try await stand.daemon.stop() == .code(0))
                #expect(stand.daemon.notifications.lines.contains("STOPPING=1"))
                _ = DaemonRefusal(try await stand.client.reply(to: wait))
                #expect(access(stand.world.socketPath, F_OK) != 0)
            }
        }

        @Test func `nothing of the runtime's thread pool is ever used, for it wakes every second`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                _ = try await stand.client.result("token.get", ["account": "work", "fresh": true])
                let threads = "/proc/\(stand.daemon.process.processID)/task"
                let names = try FileManager.default.contentsOfDirectory(atPath: threads).map { thread in
                    let name = FileManager.default.contents(atPath: "\(threads)/\(thread)/comm") ?? Data()
                    return String(decoding: name.dropLast(), as: UTF8.self)
                }
                #expect(Set(names).isSubset(of: ["tokend", "keyring", "gmain", "gdbus", "pool-spawner"]), "\(names)")
                #expect(names.contains("tokend"))
            }
        }

        @Test func `SIGHUP reads the configuration again and says when it is done`() async throws {
            try await Stand.with { stand in
                try stand.world.writeAccount("home", issuer: stand.provider.issuer)
                stand.daemon.process.signal(SIGHUP)
                try await stand.daemon.notifications.next("RELOADING=1")
                try await stand.daemon.notifications.next("READY=1")
                let names = try await stand.client.result("account.list")["accounts"]?.array
                #expect(names == ["home", "work"])
            }
        }

        @Test func `a refresh under way is finished and stored before the daemon ends`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let gate = Gate()
                stand.provider.script(.token, .commitAndHang(until: gate))
                stand.client.ask("token.get", ["account": "work", "fresh": true])
                try await stand.provider.next(.token, .arrived)
                try await stand.provider.next(.token, .arrived)
                stand.daemon.process.signal(SIGTERM)
                try await stand.daemon.notifications.next("STOPPING=1")
                gate.open()
                #expect(try await stand.daemon.process.exit() == .code(0))
                let live = try #require(stand.provider.liveRefreshTokens.first)
                #expect(try await stand.keyringItem().contains(live))
            }
        }

        @Test func `logout takes the secrets away first and then tells the provider`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let live = try #require(stand.provider.liveRefreshTokens.first)
                let gate = Gate()
                stand.provider.script(.revocation, .hang(until: gate))
                let logout = stand.client.ask("logout", ["account": "work"])
                let revocation = try await stand.provider.next(.revocation, .arrived)
                #expect(revocation.parameters["token"] == live)
                #expect(try await stand.keyringItem().isEmpty)
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.kind == "login_required")
                #expect(refusal.data["reason"]?.string == "signed_out")
                gate.open()
                let reply = try await stand.client.reply(to: logout)
                #expect(reply["result"]?.object?["revoked"]?.bool == true)
                #expect(stand.provider.liveRefreshTokens.isEmpty)
                let again = try await stand.client.result("logout", ["account": "work"])
                #expect(again["revoked"]?.bool == false)
            }
        }

        @Test func `logout works though the provider is away`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                stand.provider.stop()
                let result = try await stand.client.result("logout", ["account": "work"])
                #expect(result["revoked"]?.bool == false)
                #expect(result["revocation_fault"] != nil)
                #expect(try await stand.keyringItem().isEmpty)
            }
        }
    }
}
