// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Who may what, as a table: no process and no file is there.
@Suite struct AccountPolicyTests {
    private static let files = [
        "/usr/bin/mbsync": FileIdentity(device: 1, inode: 10), "/usr/bin/mutt": .init(device: 1, inode: 11),
        "/usr/bin/tokenctl": .init(device: 1, inode: 14),
    ]

    static func fileAt(_ path: String) -> FileIdentity? { files[path] }

    /// A process by the inode of its file, its unit and its sandbox.
    private static func process(
        _ inode: UInt64 = 10,
        path: String = "/usr/bin/mbsync",
        unit: String? = nil,
        _ sandbox: ProcessIdentity.Sandbox? = nil,
        caller: CallingProgram? = nil
    ) -> PeerIdentity {
        var process = ProcessIdentity(
            pid: 7,
            uid: 1000,
            executable: .init(file: .init(device: 1, inode: inode), path: path),
            unit: unit,
            sandbox: sandbox
        )
        process.caller = caller
        return .known(process)
    }

    /// `tokenctl`, which mutt has called.
    private static let called = process(
        14,
        path: "/usr/bin/tokenctl",
        caller: CallingProgram(pid: 6, executable: .init(file: .init(device: 1, inode: 11), path: "/usr/bin/mutt"))
    )

    private static let mbsync = process()
    private static let mail = process(12, path: "/usr/bin/python3", unit: "mail.service")
    private static let evolution = process(10, .flatpak("org.gnome.Evolution"))
    private static let thunderbird = process(13, .snap("thunderbird"))
    private static let nobody = PeerIdentity.unknown(pid: 7, .shared)

    static func policy(_ members: String) throws -> AccountPolicy {
        let text = "{ issuer: \"https://login.example.com\", client_id: \"app\", \(members) }"
        return try AccountConfigurationTests.read(text).policy
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let allow: String
        let peer: PeerIdentity
        let verdict: AccountPolicy.TokenVerdict
        var testDescription: String { "\(allow) for \(peer.clientName)" }

        init(_ allow: String, _ peer: PeerIdentity, _ verdict: AccountPolicy.TokenVerdict) {
            (self.allow, self.peer, self.verdict) = (allow, peer, verdict)
        }
    }

    private static let free = AccountPolicy.TokenVerdict.allowed(TokenLimits())

    static let rows = [
        Row("'*'", mbsync, free), Row("'*'", evolution, free), Row("'*'", nobody, free),
        Row("", mbsync, .refused), Row("", nobody, .refused),
        Row("'exe:/usr/bin/mbsync'", mbsync, free),
        Row("'exe:/usr/bin/mutt'", mbsync, .refused),
        Row("'exe:/usr/bin/gone'", mbsync, .refused),
        // The name is right and the file is another: a bind mount in a namespace of its own.
        Row("'exe:/usr/bin/mbsync'", process(99), .refused),
        // The file is right and runs in a sandbox.
        Row("'exe:/usr/bin/mbsync'", evolution, .refused),
        Row("'unit:mail.service'", process(12, unit: "mail.service", .flatpak("x.Y")), .refused),
        Row("'unit:mail.service'", mail, free), Row("'unit:mail.service'", mbsync, .refused),
        Row("'flatpak:org.gnome.Evolution'", evolution, free),
        Row("'flatpak:org.gnome.Evolution'", thunderbird, .refused),
        Row("'flatpak:org.gnome'", evolution, .refused),
        Row("'flatpak:*'", evolution, free), Row("'flatpak:*'", mbsync, .refused), Row("'flatpak:*'", nobody, .refused),
        Row("'snap:thunderbird'", thunderbird, free), Row("'snap:*'", evolution, .refused),
        Row("'exe:/usr/bin/mbsync', 'unit:mail.service'", nobody, .refused),
        Row("'via:exe:/usr/bin/mutt'", called, free), Row("'exe:/usr/bin/mutt'", called, .refused),
        Row("'via:exe:/usr/bin/mbsync'", called, .refused), Row("'via:exe:/usr/bin/mutt'", mbsync, .refused),
        Row("'exe:/usr/bin/tokenctl'", called, free), Row("'via:exe:/usr/bin/gone'", called, .refused),
        // The most particular entry holds, wherever it stands; of equals the first.
        Row("'*', {client: 'exe:/usr/bin/mbsync', scope: 'read'}", mbsync, .allowed(.init(scope: ["read"]))),
        Row("{client: 'exe:/usr/bin/mbsync', scope: 'read'}, '*'", mail, free),
        Row(
            "{client: 'unit:mail.service', scope: 'a'}, {client: 'exe:/usr/bin/mbsync', scope: 'b'}",
            process(unit: "mail.service"),
            .allowed(.init(scope: ["b"]))
        ),
        Row(
            "{client: 'flatpak:*', scope: 'a'}, {client: 'flatpak:org.gnome.Evolution', resource: 'https://r.example'}",
            evolution,
            .allowed(.init(resource: "https://r.example"))
        ),
        Row("{client: '*', scope: 'a'}, {client: '*', scope: 'b'}", mbsync, .allowed(.init(scope: ["a"]))),
        Row("{client: '*', confirm: 'first'}, 'unit:mail.service'", mbsync, .asks(.init(), isEachTime: false)),
        Row("{client: '*', confirm: 'first'}, 'unit:mail.service'", mail, free),
        Row("{client: '*', confirm: 'always', scope: 'x'}", nobody, .asks(.init(scope: ["x"]), isEachTime: true)),
        // Who cannot be named may be any of those that are: it gets what all of them get.
        Row("'*', {client: 'flatpak:x.Y', scope: 'email'}", nobody, .allowed(.init(scope: ["email"]))),
        Row("{client: '*', scope: 'a b'}, {client: 'snap:x', scope: 'b c'}", nobody, .allowed(.init(scope: ["b"]))),
        Row("{client: '*', scope: 'a'}, {client: 'snap:x', scope: 'b'}", nobody, .refused),
        Row(
            "'*', {client: 'snap:x', resource: 'https://r.example'}",
            nobody,
            .allowed(.init(resource: "https://r.example"))
        ),
        Row(
            "{client: '*', resource: 'https://q.example'}, {client: 'snap:x', resource: 'https://r.example'}",
            nobody,
            .refused
        ),
        Row("'*', {client: 'flatpak:*', confirm: 'first'}", nobody, .asks(.init(), isEachTime: false)),
        Row(
            "{client: '*', confirm: 'first'}, {client: 'snap:x', confirm: 'always'}",
            nobody,
            .asks(.init(), isEachTime: true)
        ),
        Row("'*', 'exe:/usr/bin/mbsync'", nobody, free), Row("'flatpak:*', 'exe:/usr/bin/mbsync'", nobody, .refused),
    ]

    @Test(arguments: rows) func `a token is for those that are named`(row: Row) throws {
        let policy = try Self.policy("allow: [\(row.allow)]")
        #expect(policy.tokens(for: row.peer, under: .init(), fileAt: Self.fileAt) == row.verdict)
    }

    @Test func `an account without a policy is open, and nobody needs to be named`() throws {
        #expect(try Self.policy("").isOpen(under: .init()))
        #expect(try Self.policy("allow: ['*'], confirm: 'never'").isOpen(under: .init()))
        for members in [
            "allow: []", "allow: ['*', 'exe:/a']", "confirm: 'first'", "allow: [{client: '*', scope: 'a'}]",
        ] {
            #expect(try !Self.policy(members).isOpen(under: .init()), "\(members)")
        }
        var administrator = AdministratorPolicy()
        administrator.deny = [.flatpak(nil)]
        #expect(try !Self.policy("").isOpen(under: administrator))
        administrator = AdministratorPolicy()
        administrator.confirmAtLeast = .first
        #expect(try !Self.policy("").isOpen(under: administrator))
    }

    @Test func `an account may ask of all what an entry does not ask of one, and the administrator of everyone`() throws
    {
        let policy = try Self.policy(
            "allow: [{client: 'exe:/usr/bin/mbsync', confirm: 'never'}, '*'], confirm: 'first'"
        )
        #expect(policy.tokens(for: Self.mbsync, under: .init(), fileAt: Self.fileAt) == Self.free)
        #expect(policy.tokens(for: Self.mail, under: .init(), fileAt: Self.fileAt) == .asks(.init(), isEachTime: false))
        var administrator = AdministratorPolicy()
        administrator.confirmAtLeast = .always
        let all = policy.tokens(for: Self.mbsync, under: administrator, fileAt: Self.fileAt)
        #expect(all == .asks(.init(), isEachTime: true))
    }

    @Test func `the administrator's no goes above every entry, also for whom nobody can name`() throws {
        let policy = try Self.policy("allow: ['flatpak:org.gnome.Evolution', '*']")
        var administrator = AdministratorPolicy()
        administrator.deny = [.flatpak(nil)]
        #expect(policy.tokens(for: Self.evolution, under: administrator, fileAt: Self.fileAt) == .denied)
        #expect(policy.tokens(for: Self.nobody, under: administrator, fileAt: Self.fileAt) == .denied)
        #expect(policy.tokens(for: Self.mbsync, under: administrator, fileAt: Self.fileAt) == Self.free)
        #expect(policy.administration(by: Self.evolution, under: administrator, fileAt: Self.fileAt) == .denied)
    }

    @Test(arguments: [
        ("['*']", true, false, false, false), ("[]", false, false, false, false),
        ("['exe:/usr/bin/mbsync']", true, false, false, false), ("['exe:/usr/bin/mutt']", false, false, false, false),
        ("['*', 'flatpak:org.gnome.Evolution']", true, true, false, false),
        ("['*', 'snap:*']", true, false, true, false),
    ])
    func `sandboxes and the nameless change nothing unless they are named`(
        list: String,
        plain: Bool,
        flatpak: Bool,
        snap: Bool,
        unknown: Bool
    ) throws {
        let policy = try Self.policy("administration: \(list)")
        let peers = [Self.mbsync, Self.evolution, Self.thunderbird, Self.nobody]
        for (peer, isAllowed) in zip(peers, [plain, flatpak, snap, unknown]) {
            let verdict = policy.administration(by: peer, under: .init(), fileAt: Self.fileAt)
            #expect(verdict == (isAllowed ? .allowed : .refused), "\(peer.clientName)")
        }
    }

    @Test(arguments: [
        ("allow: 'exe:/x'", "must be a list"), ("allow: [1]", "names of clients"), ("allow: ['mbsync']", "is none of"),
        ("allow: ['exe:mbsync']", "absolute"), ("allow: ['unit:mail']", "ending"), ("allow: ['exe:']", "is none of"),
        ("allow: ['']", "is none of"), ("allow: ['exe']", "is none of"), ("allow: [' *']", "is none of"),
        ("allow: ['exe: /usr/bin/x']", "absolute"), ("allow: ['exe:/usr/bin/x\\0y']", "control characters"),
        ("allow: ['exe:/usr/bin/x\\n']", "control characters"), ("allow: ['exe:/usr/bin/../sbin/x']", "“..”"),
        ("allow: ['exe:/usr//bin/x']", "“..”"), ("allow: ['exe:/usr/bin/']", "“..”"), ("allow: ['exe:/']", "“..”"),
        ("allow: ['exe:/\(String(repeating: "x", count: 5000))']", "longer"),
        ("allow: ['unit:*.service']", "no pattern"), ("allow: ['unit:a/b.service']", "no pattern"),
        ("allow: ['unit:mail\\u0000.service']", "no pattern"), ("allow: ['unit:mail@.service']", "template"),
        ("allow: ['flatpak:org.gnome.*']", "an ID"), ("allow: ['flatpak:Mail']", "an ID"),
        ("allow: ['flatpak:org..Mail']", "an ID"), ("allow: ['snap:thunder*']", "a name"),
        ("allow: [{client: 'exe:../x'}]", "absolute"), ("administration: ['exe:x']", "absolute"),
        ("allow: [{scope: 'a'}]", "without a “client”"), ("allow: [{client: 'x'}]", "is none of"),
        ("allow: [{client: '*', scopes: 'a'}]", "“scopes”"), ("allow: [{client: '*', scope: ''}]", "“scope”"),
        ("allow: [{client: '*', resource: 'x'}]", "“resource”"),
        ("allow: [{client: '*', confirm: 'once'}]", "“confirm” of * is none of: never"),
        ("allow: [{client: '*', confirm: 'alway'}]", "did you mean “always”?"),
        ("allow: ['exec:/usr/bin/mbsync']", "did you mean “exe”?"), ("confirm: 'nevr'", "did you mean “never”?"),
        ("administration: [{client: '*', scope: 'a'}]", "“scope”"), ("confirm: 'sometimes'", "is none of"),
    ])
    func `an entry that says nothing is a fault`(members: String, word: String) {
        let text = "{ issuer: \"https://login.example.com\", client_id: \"app\", \(members) }"
        let faults = AccountConfigurationTests.faults(text)
        #expect(!faults.isEmpty && faults.contains { $0.message.contains(word) }, "\(faults)")
    }

    @Test func `9700-5: a client that is held to less never gets the wide token`() throws {
        let limits = TokenLimits(scope: ["read", "list"], resource: "https://api.example")
        func held(_ params: JSONObject, to limits: TokenLimits) throws -> JSONObject? {
            var parameters = try TokenGet.Parameters(params: params)
            return parameters.hold(to: limits) ? parameters.encoded() : nil
        }
        let wanted: JSONObject = ["scope": "read list", "narrow": true, "resource": ["https://api.example"]]
        let narrowed = try TokenGet.Parameters(params: wanted).encoded()
        #expect(try held([:], to: limits) == narrowed)
        #expect(try held(["scope": ""], to: limits) == narrowed)
        #expect(try held(["scope": "read", "narrow": false], to: limits)?["scope"] == "read")
        #expect(try held(["scope": "read", "narrow": false], to: limits)?["narrow"] == true)
        #expect(
            try held(["resource": ["https://api.example"]], to: limits)?["resource"] == narrowed["resource"]
        )
        for params: JSONObject in [
            ["scope": "read write"], ["resource": "https://other.example"], ["audience": "x"], ["id_token": true],
            ["resource": ["https://api.example", "https://other.example"]],
        ] {
            #expect(try held(params, to: limits) == nil, "\(params)")
        }
        #expect(try held(["scope": "x"], to: TokenLimits()) == ["scope": "x"])
    }

    @Test(arguments: [
        ("/usr/bin/mutt", "exe:/usr/bin/mutt", "exe:/usr/bin/mutt"),
        ("/opt/a b/mail", "exe:/opt/a b/mail", "exe:/opt/a b/mail"),
        ("/usr/b\u{200B}in/mutt", "unknown", "exe:/usr/b\\u{200b}in/mutt"),
        ("/usr/bin/mutt\n", "unknown", "exe:/usr/bin/mutt\\u{a}"),
        ("/usr/bin\u{1B}[2J/mutt", "unknown", "exe:/usr/bin\\u{1b}[2J/mutt"),
        ("/usr/bin\u{202E}/mutt", "unknown", "exe:/usr/bin\\u{202e}/mutt"),
    ])
    func `a path that would be shown as another one names nobody`(path: String, name: String, log: String) {
        let peer = Self.process(path: path)
        #expect(peer.clientName == name && peer.logName == log)
        #expect(!peer.phrase.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func `two limits hold together, and where they leave nothing there is nothing`() {
        let read = TokenLimits(scope: ["read", "list"])
        #expect(read.joined(with: TokenLimits(scope: ["list", "write"])) == TokenLimits(scope: ["list"]))
        #expect(read.joined(with: TokenLimits(scope: ["write"])) == nil)
        #expect(read.joined(with: TokenLimits()) == read && TokenLimits().joined(with: read) == read)
        let resource = TokenLimits(resource: "https://a.example")
        #expect(read.joined(with: resource)?.resource == "https://a.example")
        #expect(resource.joined(with: TokenLimits(resource: "https://b.example")) == nil)
    }
}
