// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// `store: "file"`: no keyring anywhere, and grants that outlive their daemon all the same.
    @Suite struct FileStore {
        @Test func `it is locked until the first passphrase makes it, and after a crash until it comes again`()
            async throws
        {
            try await FileStoreStand.with { stand in
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.kind == "store_locked")
                #expect(refusal.data["passphrase"] == "new")
                #expect(refusal.message.contains("tokenctl unlock"))
                #expect(try await stand.refusal("login.start", ["account": "work"]).data["passphrase"] == "new")
                let store = try await FileStoreStand.storeStatus(stand.client)
                #expect(store["kind"] == "file" && store["state"] == "locked")
                #expect(store["message"]?.string?.contains("tokenctl unlock") == true, "\(store)")
                #expect(try await stand.status()["state"] == "store_locked")
                try await FileStoreStand.unlock(stand.client)
                #expect(try await FileStoreStand.storeStatus(stand.client)["state"] == "ready")
                try await stand.signIn()
                let held = try await stand.token()["access_token"]
                try await stand.daemon.kill()

                let next = try await DaemonProcess.start(stand.world)
                let client = try next.connect()
                let asked = client.ask("token.get", ["account": "work", "interactive": true])
                let locked = DaemonRefusal(try await client.reply(to: asked))
                #expect(locked.kind == "store_locked")
                #expect(locked.data["passphrase"] == "needed")
                let account = try await client.result("status")["accounts"]?.array?.first?.object
                #expect(account?["state"] == "store_locked")
                try await FileStoreStand.unlock(client)
                let token = try await client.result("token.get", ["account": "work"])
                #expect(token["access_token"] == held)
                #expect(stand.provider.count(.token) == 1)
                #expect(stand.provider.count(.authorize) == 1)
                try await next.stop()
            }
        }

        @Test func `a wrong passphrase is told, and the right one still opens it`() async throws {
            try await FileStoreStand.with { stand in
                try await FileStoreStand.unlock(stand.client)
                try await stand.signIn()
                try await stand.daemon.kill()
                let next = try await DaemonProcess.start(stand.world)
                let client = try next.connect()
                for params: JSONObject in [["passphrase": "wrong"], ["passphrase": ""], [:]] {
                    let refusal = DaemonRefusal(try await client.call("store.unlock", params))
                    #expect(refusal.kind == "store_locked")
                    #expect(refusal.message.contains("passphrase"))
                    #expect(refusal.data["passphrase"] == "needed")
                }
                try await FileStoreStand.unlock(client)
                _ = try await client.result("token.get", ["account": "work", "fresh": true])
                try await next.stop()
                #expect(!next.log.contains("wrong"))
            }
        }

        @Test func `with a key file it opens by itself, and takes no passphrase`() async throws {
            try await FileStoreStand.with(keyFile: true) { stand in
                try await stand.signIn()
                let refusal = try await stand.refusal("store.unlock", ["passphrase": "p"])
                #expect(refusal.kind == "invalid_params")
                #expect(refusal.data["member"] == "passphrase")
                #expect(try await FileStoreStand.storeStatus(stand.client)["state"] == "ready")
                let held = try await stand.token()["access_token"]
                try await stand.daemon.kill()
                let next = try await DaemonProcess.start(stand.world)
                let client = try next.connect()
                #expect(try await client.result("token.get", ["account": "work"])["access_token"] == held)
                _ = try await client.result("store.unlock")
                try await next.stop()
            }
        }

        @Test func `a key file that others can read opens nothing, and the mend is said`() async throws {
            try await FileStoreStand.with(keyFile: true, keyMode: 0o644) { stand in
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.kind == "store_unavailable")
                #expect(refusal.message.contains("chmod 600"))
            }
        }

        @Test func `a second daemon at another socket is kept from the same file`() async throws {
            try await FileStoreStand.with { stand in
                let elsewhere = stand.session.folder + "/elsewhere.sock"
                let second = try DaemonProcess(stand.world, arguments: ["--socket", elsewhere])
                #expect(try await second.process.exitAndOutput() == .code(73))
                #expect(second.log.contains("store.json.lock"))
                #expect(access(elsewhere, F_OK) != 0)
                _ = try await stand.client.result("hello")
            }
        }

        @Test func `neither secrets nor attributes nor the passphrase are anywhere in plain`() async throws {
            try await FileStoreStand.with(arguments: ["--log-level", "debug"]) { stand in
                try await FileStoreStand.unlock(stand.client)
                try await stand.signIn()
                _ = try await stand.token(["fresh": true])
                let path = FileStoreStand.path(stand)
                let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
                let secrets = stand.provider.secrets + [FileStoreStand.passphrase]
                #expect(secrets.count >= 5)
                for text in secrets + ["work", "alice", stand.provider.issuer, "refresh_token"] {
                    #expect(file.firstRange(of: Array(text.utf8)) == nil, "\(text.prefix(8))… in the store")
                }
                for secret in secrets { #expect(!stand.daemon.log.contains(secret)) }
                #expect(try FileStoreStand.mode(path) == 0o600)
                #expect(try FileStoreStand.mode(stand.session.folder + "/data/tokend") == 0o700)
            }
        }

        @Test func `a store of a newer version is left untouched, and said`() async throws {
            let newer = "{\"format\":\"tokend-store\",\"version\":2}"
            try await FileStoreStand.with(existing: newer) { stand in
                let refusal = try await stand.refusal("store.unlock", ["passphrase": "p"])
                #expect(refusal.kind == "store_unavailable")
                #expect(refusal.message.contains("newer"))
                #expect(try await stand.refusal("login.start", ["account": "work"]).kind == "store_unavailable")
                #expect(
                    try String(decoding: Data(contentsOf: URL(filePath: FileStoreStand.path(stand))), as: UTF8.self)
                        == newer
                )
            }
        }

        @Test func `the keyring takes no passphrase`() async throws {
            try await Stand.with { stand in
                let refusal = try await stand.refusal("store.unlock", ["passphrase": "p"])
                #expect(refusal.kind == "invalid_params")
                #expect(refusal.data["member"] == "passphrase")
            }
        }

        @Test func `another store in the configuration is a fault until the next start`() async throws {
            try await FileStoreStand.with { stand in
                try await FileStoreStand.unlock(stand.client)
                try await stand.signIn()
                try stand.world.writeConfiguration("{ store: \"memory\" }")
                let reloaded = try await stand.client.result("config.reload")
                #expect(reloaded["faults"]?.array?.first?.object?["member"] == "store")
                _ = try await stand.token(["fresh": true])
                #expect(try await FileStoreStand.storeStatus(stand.client)["kind"] == "file")
            }
        }

        @Test func `tokenctl gives the passphrase from stdin, and says where it is needed`() async throws {
            try await FileStoreStand.with { stand in
                let missing = try await Tokenctl(stand.world).run("unlock")
                #expect(missing.exitCode == 66)
                #expect(missing.talk.contains("stdin"))
                for (input, code) in [("first one\n", Int32(0)), ("ignored, it is open\n", 0)] {
                    let run = try await ChildProcess.run(
                        BuildProducts.program("tokenctl"),
                        ["unlock"],
                        environment: stand.world.environment,
                        input: .text(input)
                    )
                    #expect(run.status == .code(code), "\(run.errors)")
                }
                try await stand.signIn()
            }
        }
    }
}
