// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Testing
import TokendProtocol

@testable import Broker

/// `sockets` of `config.json5`.
@Suite struct NarrowSocketTests {
    private static func read(_ text: String) throws(ConfigurationFaults) -> [NarrowSocket] {
        let source = ConfigurationSource(file: "/c/config.json5", bytes: Array("{ sockets: { \(text) } }".utf8))
        return try DaemonConfiguration().reading(source) { _ in nil }.sockets
    }

    @Test func `a socket is read with all that it has`() throws {
        let sockets = try Self.read(
            """
            build: { path: "/srv/build.sock", mode: "0666", uids: [0, 33], methods: ["hello", "token.get", "status"],
                     accounts: ["ci", "mail"], scope: "read list", until: "2026-12-31T18:00:00Z" },
            phone: { accounts: ["mail"], until: 1893456000 },
            """
        )
        var build = NarrowSocket(name: "build", path: "/srv/build.sock", accounts: ["ci", "mail"])
        build.mode = 0o666
        build.uids = [0, 33]
        build.methods = [.hello, .tokenGet, .status]
        build.scope = ["read", "list"]
        build.until = 1_798_740_000
        var phone = NarrowSocket(name: "phone", path: "%t/tokend/phone.sock", accounts: ["mail"])
        phone.until = 1_893_456_000
        #expect(sockets == [build, phone])
    }

    @Test(arguments: [
        ("build: {}", "accounts"), ("build: { accounts: [] }", "accounts"), ("tokend: { accounts: ['a'] }", "tokend"),
        ("'a/b': { accounts: ['a'] }", "a/b"), ("b: { accounts: ['a'], path: 'x.sock' }", "path"),
        ("b: { accounts: ['a'], path: '/srv/b\\0.sock' }", "path"),
        ("b: { accounts: ['a'], path: '/srv/\\n.sock' }", "path"),
        ((0...256).map { "s\($0): { accounts: ['a'] }" }.joined(separator: ","), "sockets"),
        ("b: { accounts: ['a'], mode: '0777' }", "mode"), ("b: { accounts: ['a'], mode: 384 }", "mode"),
        ("b: { accounts: ['a'], uids: ['root'] }", "uids"), ("b: { accounts: ['a'], uids: [-1] }", "uids"),
        ("b: { accounts: ['a'], methods: [] }", "methods"),
        ("b: { accounts: ['a'], methods: ['token.gut'] }", "methods"),
        ("b: { accounts: ['a'], methods: ['account.add'] }", "methods"),
        ("b: { accounts: ['a'], methods: ['confirm.answer'] }", "methods"),
        ("b: { accounts: ['a'], scope: ' ' }", "scope"), ("b: { accounts: ['a'], until: 'tomorrow' }", "until"),
        ("b: { accounts: ['a'], until: true }", "until"), ("b: { accounts: ['a'], scopes: 'x' }", "scopes"),
        ("b: 1", "b"),
    ])
    func `what a socket cannot be is a fault of its member`(text: String, member: String) {
        do throws(ConfigurationFaults) {
            let sockets = try Self.read(text)
            Issue.record("\(sockets)")
        } catch {
            #expect(error.list.contains { $0.member?.hasSuffix(member) == true }, "\(error.list)")
        }
    }

    @Test func `a misspelt method is told its likely name`() {
        do throws(ConfigurationFaults) {
            let sockets = try Self.read("b: { accounts: ['a'], methods: ['token.gut'] }")
            Issue.record("\(sockets)")
        } catch {
            #expect(error.list.map(\.message).first?.hasSuffix("; did you mean “token.get”?") == true, "\(error.list)")
        }
    }

    @Test func `the administrator may keep people from making sockets, and make some`() {
        func configuration(_ own: String) -> Configuration {
            var files = Configuration.Files(folder: "/home/u/.config/tokend")
            let texts = [
                ("/etc/tokend/config.json5", "{ sockets: { all: { accounts: ['a'] } } }"),
                ("/home/u/.config/tokend/config.json5", own),
            ]
            files.daemon = texts.map { ConfigurationSource(file: $0.0, bytes: Array($0.1.utf8)) }
            files.policy = ConfigurationSource(
                file: "/etc/tokend/policy.json5",
                bytes: Array("{ sockets: false }".utf8)
            )
            return Configuration(files: files, digestOfFile: { _ in nil })
        }
        #expect(configuration("{ log_level: 'info' }").daemon.sockets.map(\.name) == ["all"])
        let refused = configuration("{ sockets: { mine: { accounts: ['a'] } } }")
        #expect(refused.daemonFaults.first?.member == "sockets" && refused.daemon.sockets.isEmpty)
    }
}
