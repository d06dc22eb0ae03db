// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// A whole life at the most talkative log level, after which nothing secret is anywhere but where it belongs.
    @Suite struct Secrecy {
        @Test func `no secret is in logs, files, the environment, arguments, or replies other than token.get's`()
            async throws
        {
            try await Stand.with(FreshTokens.shortLived, arguments: ["--log-level", "debug"]) { stand in
                var replies: [String] = []
                try await live(stand, &replies)
                let processID = stand.daemon.process.processID
                let places: [(String, [UInt8])] =
                    try stand.files() + [
                        ("the log", Array(stand.daemon.log.utf8)),
                        ("the status line", Array(stand.daemon.notifications.lines.joined().utf8)),
                        ("the replies", Array(replies.joined().utf8)),
                        ("the environment", try bytes(of: "/proc/\(processID)/environ")),
                        ("the arguments", try bytes(of: "/proc/\(processID)/cmdline")),
                    ]
                let secrets = stand.provider.secrets
                #expect(secrets.count >= 8)
                for (place, bytes) in places {
                    for secret in secrets {
                        #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(secret.prefix(5))… in \(place)")
                    }
                }
                #expect(!stand.daemon.log.isEmpty)
            }
        }

        /// Sign-in, refreshes by time and by force, faults, a failed login, a restart's worth of storing, logout.
        private func live(_ stand: Stand, _ replies: inout [String]) async throws {
            let account: JSONObject = ["account": "work"]
            let login = try await stand.client.call("login.start", account)
            replies.append("\(login)")
            let result = try #require(login["result"]?.object)
            _ = try await BrowserStandIn().signIn(try #require(result["authorization_url"]?.string))
            let id: JSONObject = ["login_id": result["login_id"] ?? .null]
            replies.append("\(try await stand.client.call("login.wait", id))")
            try await stand.provider.next(.token)
            let held = try #require(try await stand.token()["access_token"])
            stand.provider.script(.token, .answer(.oauthError("server_error", status: 500)), .captivePortal)
            replies.append("\(try await stand.refusal("token.get", ["account": "work", "rejected": held]))")
            for _ in 0..<3 { try await stand.provider.next(.token) }
            stand.provider.script(.token, .editingIDToken { $0.signer = .spoiled })
            let second = try await stand.client.result("login.start", ["account": "work", "force": true])
            _ = try await BrowserStandIn().signIn(try #require(second["authorization_url"]?.string))
            replies.append("\(try await stand.client.call("login.wait", ["login_id": second["login_id"] ?? .null]))")
            let device = try await stand.client.call("login.start", ["account": "work", "flow": "device"])
            replies.append("\(device)")
            let started = try #require(device["result"]?.object)
            stand.provider.approveDevice(userCode: try #require(started["user_code"]?.string))
            replies.append("\(try await stand.client.call("login.wait", ["login_id": started["login_id"] ?? .null]))")
            for method in ["hello", "status", "account.list", "config.reload"] {
                replies.append("\(try await stand.client.call(method))")
            }
            replies.append("\(try await stand.client.call("logout", account))")
            replies.append("\(try await stand.client.call("status"))")
        }

        private func bytes(of path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }
}

extension Stand {
    /// Every ordinary file of the private world, the keyring's own (which is encrypted) among them.
    func files() throws -> [(String, [UInt8])] {
        let folder = session.folder
        return try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap { name in
            let path = "\(folder)/\(name)"
            let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            return kind == .typeRegular ? (path, [UInt8](try Data(contentsOf: URL(filePath: path)))) : nil
        }
    }
}
