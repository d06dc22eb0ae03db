// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol

@testable import tokenctl

/// An account, its provider and a tool together: what is missing is said, and led on from.
@Suite struct ToolNeedsTests {
    static let presets: JSONObject = [
        "providers": [
            [
                "provider": "github", "title": "GitHub", "about": "code", "register": ["url": "https://gh.example/new"],
                "tools": [["tool": "git", "scopes": ["repo"], "note": "an owner approves"]],
                "account": ["scopes": ["read:user"]],
            ],
            [
                "provider": "outlook", "title": "Outlook", "about": "mail",
                "tools": [
                    [
                        "tool": "mail", "scopes": ["https://o.example/IMAP"], "mechanisms": ["xoauth2"],
                        "imap": "imap.o.example", "smtp": "smtp.o.example",
                    ], ["tool": "kubernetes", "scopes": ["openid"], "id_token": true],
                ],
                "account": ["scopes": ["openid"], "client_id": "c", "dialect": ["scopes_choose_resource": true]],
            ],
        ]
    ]

    /// A daemon with one account at that provider, and what its sign-in was granted.
    static func daemon(_ provider: String, granted: String?, state: String = "ready") throws -> StandInDaemon {
        try StandInDaemon { request in
            switch request.method {
            case "provider.list": return .result(presets)
            case "account.list": return .result(["accounts": ["work"]])
            case "account.show": return .result(["account": "work", "config": ["provider": .string(provider)]])
            case "login.start": return .result(StandInDaemon.started)
            case "login.wait": return .result(["account": "work", "scope": .string(granted ?? "")])
            case "status":
                var account: JSONObject = [
                    "account": "work", "issuer": "https://gh.example", "identity": "anna@o.example",
                    "state": .string(state),
                ]
                account["scope"] = granted.map { .string($0) }
                return .result(["accounts": [.object(account)]])
            default: return .result(["account": "work", "file": "/c/work.json5"])
            }
        }
    }

    private static let mail = [
        "https://outlook.office.com/IMAP.AccessAsUser.All", "https://outlook.office.com/SMTP.Send",
    ]

    /// As the program's own presets are.
    private static let known: [String: PresetDescription] = {
        func preset(_ name: String, _ account: JSONObject, _ tools: [PresetDescription.Tool]) -> PresetDescription {
            var preset = PresetDescription(provider: name, title: name, account: account)
            preset.tools = tools
            return preset
        }
        let cluster = PresetDescription.Tool(tool: "kubernetes", scopes: ["openid"])
        return [
            "github": preset("github", ["scopes": ["read:user"]], [.init(tool: "git", scopes: ["repo"])]),
            "google": preset(
                "google",
                ["scopes": ["openid", "email"]],
                [.init(tool: "mail", scopes: ["https://mail.google.com/"]), cluster]
            ),
            "keycloak": preset("keycloak", ["scopes": ["openid"]], [cluster]),
            "entra": preset(
                "entra",
                ["scopes": ["openid"], "dialect": ["scopes_choose_resource": true]],
                [.init(tool: "mail", scopes: mail)]
            ),
        ]
    }()

    private static func needs(_ name: String, granted: String?, config: [String] = []) throws -> ToolNeeds {
        let description = try #require(Self.known[name])
        var status = AccountStatus(account: "a", issuer: "", clientID: "", state: .ready)
        status.scope = granted
        return ToolNeeds(account: "a", status: status, config: config, preset: description)
    }

    @Test func `the scopes of a tool are compared with what was granted`() throws {
        #expect(try Self.needs("github", granted: "read:user").missing(.git) == ["repo"])
        #expect(try Self.needs("github", granted: "repo read:user").missing(.git) == [])
        #expect(try Self.needs("google", granted: "openid").missing(.mail) == ["https://mail.google.com/"])
        #expect(try Self.needs("google", granted: "openid").missing(.kubernetes) == [])
        // What the provider says of its grant is not the whole of it there.
        let mail = Self.mail
        #expect(try Self.needs("entra", granted: "openid", config: mail).missing(.mail) == [])
        #expect(try Self.needs("entra", granted: nil, config: ["openid"]).missing(.mail) == mail)
        #expect(try Self.needs("github", granted: nil).missing(.mail) == [], "not known")
    }

    @Test func `after a sign-in the tools are named that the account was made for and that are installed`() throws {
        let google = try Self.needs("google", granted: "openid https://mail.google.com/")
        #expect(google.stepsAfterSignIn { $0 != "mbsync" } == ["tokenctl setup neomutt a", "tokenctl setup msmtp a"])
        #expect(google.stepsAfterSignIn { $0 == "kubectl" } == [])
        #expect(
            try Self.needs("keycloak", granted: "openid").stepsAfterSignIn { _ in true } == ["tokenctl setup kubectl a"]
        )
        #expect(try Self.needs("github", granted: "read:user").stepsAfterSignIn { _ in true } == [])
    }

    @Test func `setup says what the account lacks, and the command asks for it`() throws {
        let daemon = try Self.daemon("github", granted: "read:user")
        defer { daemon.stop() }
        var there = Surroundings()
        let home = try TemporaryFolder()
        there.environment["HOME"] = home.path
        let outcome = try there.run(["setup", "git", "work"], daemon)
        #expect(
            outcome.talk.hasSuffix(
                """
                GitHub needs the scope repo for git, which work does not have yet. Before that: an owner approves.
                  → tokenctl login work --scope repo

                """
            ),
            "\(outcome.talk)"
        )
        let again = try there.run(["setup", "git", "work", "--json"], daemon)
        #expect(again.code == 0 && again.talk == "")
    }

    @Test func `the mail tools get the servers and the mechanism that the provider has`() throws {
        let daemon = try Self.daemon("outlook", granted: "https://o.example/IMAP")
        defer { daemon.stop() }
        var there = Surroundings()
        let home = try TemporaryFolder()
        there.environment["HOME"] = home.path
        let msmtp = try there.run(["setup", "msmtp", "work"], daemon).talk
        #expect(msmtp.contains("  host smtp.o.example\n") && msmtp.contains("  auth xoauth2\n"), "\(msmtp)")
        // Its tokens are each for one API.
        #expect(msmtp.contains("token work --scope https://o.example/IMAP\"\n"))
        let neomutt = try there.run(["setup", "neomutt", "work"], daemon).talk
        #expect(
            neomutt.contains("set imap_authenticators = \"xoauth2\"\n") && neomutt.contains("imaps://imap.o.example/")
        )
        #expect(neomutt.contains("@smtp.o.example:587/"), "\(neomutt)")
    }

    @Test func `--tool adds what the tool needs there`() throws {
        let daemon = try Self.daemon("github", granted: nil)
        defer { daemon.stop() }
        let add = ["account", "add", "gh", "--provider", "github", "--client-id", "c"]
        #expect(try Surroundings().run(add + ["--tool", "git"], daemon).code == 0)
        #expect(
            daemon.requests.last?.params["config"] == [
                "provider": "github", "client_id": "c", "scopes": ["read:user", "repo"],
            ]
        )
        let wrong = try Surroundings().run(add + ["--tool", "mail"], daemon)
        #expect(wrong.code == 64 && wrong.talk.contains("does not know what mail needs at GitHub, but: git"))
        #expect(try Surroundings().run(add + ["--tool", "gti"], daemon).talk.contains("did you mean git?"))
        #expect(try Surroundings().run(["login", "work", "--tool", "git"], daemon).code == 0)
        #expect(daemon.requests.first { $0.method == "login.start" }?.params["scope"] == "repo")
    }

    @Test func `the dialogue asks what the account is for, and shows what it will ask for`() throws {
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "provider.list": .result(Self.presets)
            case "account.show": .error("account_unknown", code: -32001)
            default: .result(["account": "github", "file": "/c/github.json5"])
            }
        }
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        there.input = "gti\ngit\ngithub\n\nc\n"
        let talk = try there.run(["account", "add"], daemon).talk
        #expect(talk.contains("What is it for (git, mail, kubernetes)? Just Enter for something else:"), "\(talk)")
        #expect(talk.contains("Did you mean git?") && talk.contains("Which provider (github), or its issuer"))
        #expect(
            talk.contains("The account asks for: read:user, repo.") && talk.contains("- For git: an owner approves")
        )
        #expect(
            daemon.requests.first { $0.method == "account.add" }?.params["config"]
                == ["provider": "github", "client_id": "c", "scopes": ["read:user", "repo"]]
        )
        // A provider that was named is asked about alone; without an answer the scopes are the preset's.
        there.input = "\n\nc\n"
        let plain = try there.run(["account", "add", "x", "--provider", "github"], daemon).talk
        #expect(plain.contains("What is it for (git)?") && !plain.contains("The account asks for"), "\(plain)")
        #expect(
            daemon.requests.last { $0.method == "account.add" }?.params["config"] == [
                "provider": "github", "client_id": "c",
            ]
        )
    }

    @Test func `a new account at a provider is told what more there is to ask for`() throws {
        let daemon = try Self.daemon("github", granted: nil, state: "signed_out")
        defer { daemon.stop() }
        var there = Surroundings()
        there.isInteractive = true
        let talk = try there.run(["account", "add", "work", "--provider", "github", "--client-id", "c"], daemon).talk
        #expect(
            talk.hasSuffix("  → tokenctl login work\n  → tokenctl login work --scope repo   (for git)\n"),
            "\(talk)"
        )
    }

    @Test func `a sign-in at a terminal ends with the next step`() throws {
        for (granted, program, step) in [
            ("read:user repo", "git", "tokenctl setup git work"), ("read:user", "git", "tokenctl token work"),
            ("repo", "kubectl", "tokenctl token work"),
        ] {
            let daemon = try Self.daemon("github", granted: granted)
            defer { daemon.stop() }
            var there = Surroundings()
            there.isInteractive = true
            there.programs = [program: "/usr/bin/" + program]
            let talk = try there.run(["login", "work"], daemon).talk
            #expect(talk.hasSuffix("  → \(step)\n"), "\(talk)")
        }
    }

    @Test(arguments: [
        ("https://sso.example/realms/a/.well-known/openid-configuration", "https://sso.example/realms/a"),
        ("https://sso.example/.well-known/oauth-authorization-server/realms/a", "https://sso.example/realms/a"),
        ("https://sso.example/.well-known/openid-configuration", "https://sso.example"),
        ("https://sso.example/", "https://sso.example/"),
    ])
    func `an issuer may be pasted as the address of its metadata`(_ typed: String, _ issuer: String) {
        #expect(PastedIssuer.issuer(typed) == issuer)
    }
}
