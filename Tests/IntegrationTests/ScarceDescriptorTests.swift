// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A daemon that has used up its descriptors: an error to who needs one, and life goes on.
    @Suite struct ScarceDescriptors {
        private static let ask = Array(
            #"{"jsonrpc":"2.0","id":1,"method":"token.get","params":{"account":"work"}}"#.utf8 + [UInt8(ascii: "\n")]
        )

        @Test func `out of descriptors a call is refused, nothing spins, and life goes on`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                // The three that every process has, and none beside those that are open.
                try await stand.daemon.limitDescriptors(3)
                let refusal = try await stand.refusal("token.get", ["account": "work", "fresh": true])
                #expect(refusal.kind == "store_unavailable")
                #expect(refusal.message.contains("descriptors"), "\(refusal)")
                #expect(stand.provider.count(grantType: "refresh_token") == 0)
                // A client that connects now waits; the daemon must not spin meanwhile.
                let waiting = try BareClient(path: stand.world.socketPath)
                waiting.send(Self.ask)
                let time = try ProcessUse(stand.daemon.process).time
                for _ in 0..<10 {
                    _ = try await stand.token()
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(try ProcessUse(stand.daemon.process).time - time < 50)
                try await stand.daemon.limitDescriptors(1024)
                #expect(waiting.lines(1) == 1)
                try await awaitRefresh(stand)
                #expect(try await stand.status()["state"] == "ready")
            }
        }

        @Test func `sign-ins that take the last descriptors are refused, and the keyring is reached all the same`()
            async throws
        {
            let names = (0..<200).map { "left-\($0)" }
            try await Stand.with(
                by: ["prlimit", "--nofile=160:160"],
                prepare: { world, provider in
                    for name in names + ["work"] { try world.writeAccount(name, issuer: provider.issuer) }
                },
                { stand in
                    try await stand.signIn()
                    let before = try ProcessUse(stand.daemon.process)
                    var logins: [JSONValue] = []
                    var refusal: DaemonRefusal?
                    for name in names where refusal == nil {
                        let reply = try await stand.client.call("login.start", ["account": .string(name)])
                        if let id = reply["result"]?.object?["login_id"] {
                            logins.append(id)
                        } else {
                            refusal = DaemonRefusal(reply)
                        }
                    }
                    #expect(logins.count > 10)
                    #expect(refusal.map { isAboutDescriptors($0) } == true, "\(String(describing: refusal))")
                    _ = try await stand.token()
                    // A client that connects now waits, and takes none of those that the keyring is reached with.
                    let crowd = try (0..<16).map { _ in try BareClient(path: stand.world.socketPath) }
                    for client in crowd { client.send(Self.ask) }
                    // The mark is written; a socket there may be, or not.
                    let reply = try await stand.client.call("token.get", ["account": "work", "fresh": true])
                    let kind = reply["result"] == nil ? DaemonRefusal(reply).kind : "served"
                    #expect(["served", "provider_unreachable"].contains(kind), "\(reply)")
                    for id in logins { _ = try await stand.client.result("login.cancel", ["login_id": id]) }
                    for client in crowd { #expect(client.lines(1) == 1) }
                    for client in crowd { client.hangUp() }
                    try await stand.awaitUse(like: before)
                    try await stand.daemon.kill()
                    try await stand.restart { next in
                        let token = try await next.token(["fresh": true])
                        #expect(token["refreshed"] == true)
                    }
                }
            )
        }

        @Test func `with any number of descriptors left, a refusal says what is short, and not that a client hides`()
            async throws
        {
            try await Stand.with { stand in
                try await stand.signIn()
                let used = try ProcessUse(stand.daemon.process).highest + 1
                for left in 0..<8 {
                    try await stand.daemon.limitDescriptors(used + left)
                    let reply = try await stand.client.call("login.start", ["account": "work"])
                    if let id = reply["result"]?.object?["login_id"] {
                        _ = try await stand.client.result("login.cancel", ["login_id": id])
                    } else {
                        #expect(isAboutDescriptors(DaemonRefusal(reply)), "\(left) left: \(DaemonRefusal(reply))")
                    }
                }
                try await stand.daemon.limitDescriptors(1024)
                try await awaitRefresh(stand)
            }
        }

        private func isAboutDescriptors(_ refusal: DaemonRefusal) -> Bool {
            ["Too many open files", "descriptor"].contains { refusal.message.contains($0) }
        }

        private func awaitRefresh(_ stand: Stand) async throws {
            let limit = ContinuousClock.now.advanced(by: .seconds(20))
            while true {
                let reply = try await stand.client.call("token.get", ["account": "work", "fresh": true])
                if reply["result"]?.object?["refreshed"] == true { return }
                guard ContinuousClock.now < limit else { throw TimedOut("a refresh: \(reply)") }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}
