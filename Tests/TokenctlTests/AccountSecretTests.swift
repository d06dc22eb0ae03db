// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import tokenctl

@Suite struct AccountSecretTests {
    private func daemon() throws -> StandInDaemon {
        try StandInDaemon { request in
            request.method == "account.add" ? .result(["account": "web", "file": "/f"]) : .result([:])
        }
    }

    @Test func `a secret comes on stdin and is shown nowhere`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.input = "s3cr3t with a space\n"
        let outcome = try there.run(["account", "secret", "work"], daemon)
        #expect(outcome.code == 0 && outcome.output == "")
        #expect(outcome.talk == "The client secret of work is in the secret store.\n")
        #expect(daemon.methods == ["status", "account.secret"])
        #expect(
            daemon.requests.last?.params == [
                "account": "work", "kind": "client_secret", "value": "s3cr3t with a space",
            ]
        )
    }

    @Test func `at a terminal it is asked for; a key is not`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = " s3cr3t\n"
        let outcome = try there.run(["account", "secret", "work"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.talk.hasPrefix("Paste the client secret, then Enter (it is not shown):"))
        #expect(daemon.requests.last?.params["value"] == "s3cr3t")
        #expect(try there.run(["account", "secret", "work", "--kind", "client_key"], daemon).code == 64)
    }

    @Test func `a key is a file of several lines`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let file = try TemporaryFile("-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----\n")
        let words = ["account", "secret", "work", "--kind", "client_key", "--file", file.path]
        #expect(try Surroundings().run(words, daemon).code == 0)
        #expect(daemon.requests.last?.params["kind"] == "client_key")
        #expect(daemon.requests.last?.params["value"]?.string?.hasSuffix("END PRIVATE KEY-----\n") == true)
    }

    @Test func `a secret is no argument, and a kind that nobody knows is told`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        #expect(try Surroundings().run(["account", "secret", "work", "s3cr3t"], daemon).code == 64)
        #expect(try Surroundings().run(["account", "secret", "work", "--kind", "password"], daemon).code == 64)
        #expect(daemon.methods.isEmpty)
    }

    @Test(
        arguments: [
            ("/nonexistent/secret", "No such file or directory"), ("/tmp", "Is a directory"),
            ("/dev/zero", "it is longer than 64 KiB"),
        ]
    )
    func `a file that cannot be read says why`(file: String, reason: String) throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        for command in [
            ["account", "secret", "work", "--file", file],
            ["account", "add", "w", "--issuer", "https://i.example", "--client-id", "c", "--client-secret-file", file],
        ] {
            let outcome = try Surroundings().run(command, daemon)
            #expect(outcome.code == 66)
            #expect(outcome.talk == "tokenctl: cannot read the client secret from \(file): \(reason)\n")
        }
        #expect(!daemon.methods.contains("account.secret") && !daemon.methods.contains("account.add"))
    }

    @Test func `account add hands the secret over beside the settings, with the usual method`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let file = try TemporaryFile("s3cr3t\n")
        let words = ["account", "add", "web", "--issuer", "https://i.example", "--client-id", "c"]
        let outcome = try Surroundings().run(words + ["--client-secret-file", file.path], daemon)
        #expect(outcome.code == 0 && !outcome.talk.contains("s3cr3t"))
        let params = daemon.requests.last?.params
        #expect(params?["client_secret"] == "s3cr3t")
        #expect(params?["config"]?.object?["client_authentication"] == "client_secret_basic")
        let named = ["--client-secret-file", file.path, "--client-authentication", "client_secret_post"]
        #expect(try Surroundings().run(words + named, daemon).code == 0)
        let config = daemon.requests.last?.params["config"]?.object
        #expect(config?["client_authentication"] == "client_secret_post")
    }

    @Test func `the command that is shown for an account that is there names the secret's file too`() throws {
        let daemon = try StandInDaemon { _ in .error("account_exists", code: -32015, message: "it is there") }
        defer { daemon.stop() }
        let file = try TemporaryFile("s3cr3t\n")
        let words = ["account", "add", "web", "--issuer", "https://i.example", "--client-id", "c"]
        let outcome = try Surroundings().run(words + ["--client-secret-file", file.path], daemon)
        #expect(outcome.talk.contains(" --client-secret-file \(file.path) --replace\n"))
    }

    @Test func `account add gives a key once the account is there; both ways at once are one too many`() throws {
        let daemon = try daemon()
        defer { daemon.stop() }
        let file = try TemporaryFile("{}")
        let words = ["account", "add", "web", "--issuer", "https://i.example", "--client-id", "c"]
        #expect(try Surroundings().run(words + ["--client-key-file", file.path], daemon).code == 0)
        #expect(daemon.methods == ["account.add", "account.secret"])
        let config = daemon.requests.first?.params["config"]?.object
        #expect(config?["client_authentication"] == "private_key_jwt")
        let both = ["--client-key-file", file.path, "--client-secret-file", file.path]
        #expect(try Surroundings().run(words + both, daemon).code == 64)
    }
}
