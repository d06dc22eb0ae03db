// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import tokenctl

@Suite struct GitCredentialTests {
    private static let asked = "protocol=https\nhost=git.example.com\n"

    private static func daemon() throws -> StandInDaemon {
        try StandInDaemon { request in
            guard request.method == "status" else {
                return .result(["account": "work", "access_token": "to.ken", "expires_at": 2_000_000])
            }
            return .result(["accounts": [["account": "work", "issuer": "https://git.example.com", "state": "ready"]]])
        }
    }

    private static func run(
        _ arguments: [String],
        _ input: String,
        _ daemon: StandInDaemon
    ) throws -> Outcome {
        var there = Surroundings()
        there.input = input
        return try there.run(["credential", "git"] + arguments, daemon)
    }

    @Test func `get answers with a name, the token and its end`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.run(["get"], Self.asked + "\nignored=1\n", daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "username=oauth2\npassword=to.ken\npassword_expiry_utc=2000000\n")
        #expect(outcome.talk == "")
        #expect(daemon.methods == ["status", "token.get"])
        #expect(daemon.requests.last?.params == ["account": "work", "application": "git"])
    }

    @Test func `an account that is named goes for any host, and a name in the URL stays`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let input = "protocol=https\nhost=elsewhere.example:8443\nusername=alice\n"
        let outcome = try Self.run(["--account", "work", "get"], input, daemon)
        #expect(outcome.output.hasPrefix("username=alice\n"))
        #expect(daemon.methods == ["token.get"])
        let named = try Self.run(["--account", "work", "--username", "x-token-auth", "get"], input, daemon)
        #expect(named.output.hasPrefix("username=x-token-auth\n"))
    }

    @Test(arguments: [
        "protocol=https\nhost=elsewhere.example\n", "protocol=http\nhost=git.example.com\n", "protocol=https\n",
        "host=git.example.com\n", "", "protocol=https\nhost=git.example.com\nwwwauth[]=Negotiate\n",
        // git decodes a host before it says it; none of these is the one that it begins with.
        "protocol=https\nhost=git.example.com/.evil\n", "protocol=https\nhost=git.example.com?.evil\n",
        "protocol=https\nhost=git.example.com#.evil\n", "protocol=https\nhost=git.example.com\\.evil\n",
        "protocol=https\nhost=git.example.com@evil\n", "protocol=https\nhost=git.example.com:443/.evil\n",
        "protocol=https://git.example.com/?\nhost=evil\n",
    ])
    func `where no token may go nothing is said, and git asks on`(_ input: String) throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.run(["get"], input, daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "")
        #expect(outcome.talk == "")
        #expect(!daemon.methods.contains("token.get"))
    }

    @Test(
        arguments: [
            ("", GitCredential.Form.basic), ("wwwauth[]=Basic realm=\"x\"\ncapability[]=authtype\n", .basic),
            ("wwwauth[]=Bearer\ncapability[]=authtype\n", .bearer), ("wwwauth[]=Bearer\n", .basic),
            ("wwwauth[]=Bearer\nwwwauth[]=Basic\ncapability[]=authtype\n", .basic), ("wwwauth[]=NTLM\n", nil),
            ("wwwauth[]=NTLM\nwwwauth[]=\nwwwauth[]=bearer realm=x\ncapability[]=state\n", .basic),
        ] as [(String, GitCredential.Form?)]
    )
    func `the form is what server and git have in common`(_ input: String, _ form: GitCredential.Form?) {
        #expect(GitCredential(input).form == form)
    }

    @Test func `a git that can is given the token as Bearer`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let more = "capability[]=authtype\ncapability[]=state\nwwwauth[]=Bearer realm=\"x\"\n"
        #expect(
            try Self.run(["get"], Self.asked + more, daemon).output == """
                capability[]=authtype
                authtype=Bearer
                credential=to.ken
                ephemeral=1
                password_expiry_utc=2000000

                """
        )
    }

    @Test func `erase has the daemon replace the token that was refused`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.run(["erase"], Self.asked + "username=oauth2\npassword=to.ken\n", daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output == "")
        #expect(
            daemon.requests.last?.params == ["account": "work", "rejected": "to.ken", "application": "git"]
        )
        let before = daemon.methods.count
        #expect(try Self.run(["erase"], Self.asked, daemon).code == 0)
        #expect(daemon.methods.count == before)
    }

    @Test(arguments: ["store", "capability", "approve"])
    func `what is not asked of it is passed over in silence`(_ action: String) throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        let outcome = try Self.run([action], Self.asked + "password=x\n", daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output + outcome.talk == "")
        #expect(daemon.methods.isEmpty)
    }

    @Test func `without a sign-in it says how, and a named account ends git's asking`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "status"
                ? .result(["accounts": [["account": "work", "issuer": "https://git.example.com"]]])
                : .error("login_required", code: -32002, data: ["account": "work"])
        }
        defer { daemon.stop() }
        let outcome = try Self.run(["get"], Self.asked, daemon)
        #expect(outcome.code == 77)
        #expect(outcome.output == "")
        #expect(outcome.talk.contains("→ tokenctl login work"))
        #expect(try Self.run(["--account", "work", "get"], Self.asked, daemon).output == "quit=1\n")
    }

    @Test func `two accounts of one provider are not guessed between`() throws {
        let daemon = try StandInDaemon { _ in
            .result([
                "accounts": [
                    ["account": "a", "issuer": "https://git.example.com"],
                    ["account": "b", "issuer": "https://git.example.com"],
                ]
            ])
        }
        defer { daemon.stop() }
        let outcome = try Self.run(["get"], Self.asked, daemon)
        #expect(outcome.code == 64)
        #expect(outcome.output == "")
        #expect(outcome.talk.contains("name one: --account a"))
    }
}
