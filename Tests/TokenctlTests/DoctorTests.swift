// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import TokendProtocol
import tokenctl

@Suite struct DoctorTests {
    private static let hello: JSONObject = [
        "name": "tokend", "version": .string(Program.version), "protocol": 1, "pid": 42, "methods": [:],
    ]

    private static let keyring: JSONValue = [["name": "store of secret-service", "result": "ok"]]

    private static func daemon(_ checks: JSONValue = keyring) throws -> StandInDaemon {
        try StandInDaemon { request in
            request.method == "hello" ? .result(hello) : .result(["checks": checks])
        }
    }

    /// A private world in which nothing is wrong.
    private static func surroundings(_ daemon: StandInDaemon?) -> Surroundings {
        var there = Surroundings()
        there.environment["XDG_RUNTIME_DIR"] = daemon?.folder ?? "/nonexistent"
        // Any listener is good enough.
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = daemon.map { "unix:path=\($0.path),guid=0" }
        there.environment["DISPLAY"] = ":0"
        there.programs = ["xdg-open": "/usr/bin/xdg-open"]
        return there
    }

    @Test func `where all is well it says so, a line a finding`() throws {
        let daemon = try Self.daemon([["name": "clock", "result": "ok", "detail": "0 s apart"]])
        defer { daemon.stop() }
        let outcome = try Self.surroundings(daemon).run(["doctor"], daemon)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.talk == "Nothing is wrong.\n")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "✓ daemon          tokend \(Program.version) answers, process 42")
        #expect(lines.last == "✓ clock           0 s apart")
        #expect(outcome.output.contains("– systemd units   no user manager answers"))
    }

    @Test func `the daemon's findings and its own are one document`() throws {
        let theirs: JSONValue = [["name": "clock", "result": "fail", "detail": "behind", "mend": "set it"]]
        let daemon = try Self.daemon(theirs)
        defer { daemon.stop() }
        let outcome = try Self.surroundings(daemon).run(["doctor", "work", "--json"], daemon)
        #expect(outcome.code == 1)
        let checks = try #require(outcome.json?["checks"]?.array)
        #expect(checks.last == theirs.array?.first)
        #expect(checks.first?.object?["name"] == "daemon")
        #expect(daemon.requests.last?.params == ["account": "work"])
        let people = try Self.surroundings(daemon).run(["doctor"], daemon)
        #expect(people.output.hasSuffix("✗ clock           behind\n    → set it\n"))
        #expect(people.talk == "One thing is wrong.\n")
    }

    @Test func `without a daemon it says how to start one`() throws {
        let outcome = try Self.surroundings(nil).run(["doctor"])
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("✗ daemon"))
        #expect(outcome.output.contains("→ start it by hand: tokend"))
        var there = Self.surroundings(nil)
        let systemctl = try DoctorWaysOutTests.systemctl(
            "Id=tokend.socket LoadState=loaded UnitFileState=enabled ActiveState=inactive",
            "Id=tokend.service LoadState=loaded UnitFileState=disabled ActiveState=inactive"
        )
        there.programs["systemctl"] = systemctl.path
        let installed = try there.run(["doctor"])
        #expect(installed.output.contains("✗ systemd units      tokend.socket is not active"))
        #expect(installed.output.contains("→ systemctl --user enable --now tokend.socket"))
        let token = try there.run(["token", "work"])
        #expect(token.code == 69)
        #expect(token.talk.hasSuffix("\n  → systemctl --user enable --now tokend.socket\n"))
    }

    @Test func `two versions are a fault`() throws {
        let daemon = try StandInDaemon { request in
            request.method == "hello" ? .result(["version": "9.9"]) : .result(["checks": []])
        }
        defer { daemon.stop() }
        let outcome = try Self.surroundings(daemon).run(["doctor"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("✗ versions        tokend is 9.9, tokenctl is \(Program.version)"))
        // Nothing here says that systemd would.
        #expect(outcome.output.contains("→ end tokend, and start it again as it was started"))
    }

    @Test func `a folder or a socket that others may use is a fault`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        chmod(daemon.path, 0o666)
        chmod(daemon.folder, 0o755)
        let outcome = try Self.surroundings(daemon).run(["doctor"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("→ chmod 700 \(daemon.folder)"))
        #expect(outcome.output.contains("→ chmod 600 \(daemon.path)"))
    }

    @Test func `another user's socket is looked at by its owner alone`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        chmod(daemon.path, 0o666)
        var there = Self.surroundings(daemon)
        let (own, other) = (geteuid(), geteuid() + 1)
        there.environment["TOKEND_SOCKET_UID"] = String(other)
        let stranger = try there.run(["doctor"], daemon)
        #expect(stranger.code == 1)
        let said = stranger.output.split { " \n".contains($0) }.joined(separator: " ")
        #expect(said.contains("\(daemon.path) belongs to uid \(own), not to uid \(other)"), "\(stranger)")
        let token = try there.run(["token", "work"], daemon)
        #expect(token.code == 77 && token.talk.contains("another user (uid \(own)) listens at"))
    }

    @Test func `a session without bus, runtime folder or browser is told`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        var there = Self.surroundings(daemon)
        there.programs = [:]
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        there.environment["XDG_RUNTIME_DIR"] = daemon.folder + "/none"
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.talk == "3 things are wrong.\n")
        #expect(outcome.output.contains("→ apt install xdg-utils"))
        // The same path is no way out where it is what is missing.
        let standard = "/run/user/\(geteuid())"
        #expect(
            outcome.output.contains("→ export XDG_RUNTIME_DIR=\(access(standard, F_OK) == 0 ? standard : "FOLDER")")
        )
        there.environment["DISPLAY"] = nil
        #expect(try there.run(["doctor"], daemon).output.contains("– browser         this session has no display"))
    }

    @Test(arguments: [("secret-service", true), ("file", false), ("memory", false)])
    func `a bus is missed where the store needs one`(_ store: String, _ isFault: Bool) throws {
        let daemon = try Self.daemon([["name": .string("store of \(store)"), "result": "ok"]])
        defer { daemon.stop() }
        var there = Self.surroundings(daemon)
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.code == (isFault ? 1 : 0))
        #expect(outcome.output.contains(isFault ? "✗ message bus" : "– message bus"), "\(outcome.output)")
        #expect(outcome.output.contains("→ apt install dbus-user-session") == isFault)
    }

    @Test func `a bus that only has an address is none`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        var there = Self.surroundings(daemon)
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let dead = try there.run(["doctor"], daemon)
        #expect(dead.code == 1)
        #expect(dead.output.contains("✗ message bus     nothing answers at /nonexistent/bus: No such file"))
        #expect(dead.output.contains("→ apt install dbus-user-session, then log in again"))
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = "tcp:host=localhost,port=1"
        #expect(try there.run(["doctor"], daemon).code == 0)
    }

    @Test func `a bus that answers takes the place of one that is gone, and it is said`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        #expect(symlink(daemon.path, daemon.folder + "/bus") == 0)
        defer { unlink(daemon.folder + "/bus") }
        var there = Self.surroundings(daemon)
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.code == 0)
        #expect(outcome.output.contains("✓ message bus     \(daemon.folder)/bus is used instead"))
        #expect(outcome.output.contains("(DBUS_SESSION_BUS_ADDRESS names /nonexistent/bus"))
    }

    @Test func `a BROWSER that is no program is a finding`() throws {
        let daemon = try Self.daemon()
        defer { daemon.stop() }
        var there = Self.surroundings(daemon)
        there.environment["BROWSER"] = "nope"
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("BROWSER names “nope”, and there is no such program"))
    }

    @Test func `the store is named as people name it`() {
        let checks = ["secret-service", "file"].map { Doctor.Check("store of \($0)", .ok, detail: "works") }
        let lines = DoctorReport(checks).lines(width: 80, palette: .plain)
        #expect(lines == ["✓ secret store  Secret Service: works", "✓ secret store  file: works"])
    }

    @Test func `a mend that ends the sentence is told once, and a long one within the width`() {
        let mend = "see to the file " + String(repeating: "word ", count: 20)
        let checks = [
            Doctor.Check(
                "store",
                .fail,
                detail: "it is locked; open it with: tokenctl unlock",
                mend: "tokenctl unlock"
            ),
            Doctor.Check("other", .fail, detail: "no", mend: mend),
        ]
        let lines = DoctorReport(checks).lines(width: 80, palette: .plain)
        #expect(lines.prefix(2) == ["✗ store  it is locked; open it with:", "    → tokenctl unlock"])
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 80 } && lines.last?.hasPrefix("      word") == true)
    }

    @Test func `an account that gives no token is a finding, as status has it, and so are lines that name none`() throws
    {
        let home = try #require(mkdtemp(strdup("/tmp/tokenctl-doctor-XXXXXX")).map { String(cString: $0) })
        defer { unlink(home + "/.gitconfig"); rmdir(home) }
        let file = try #require(fopen(home + "/.gitconfig", "w"))
        fputs("# tokend: begin gone\n# tokend: end gone\n# tokend: begin work\n# tokend: end work\n", file)
        fclose(file)
        let accounts: JSONValue = [
            ["account": "work", "state": "ready"], ["account": "old", "state": "signed_out"],
            ["account": "rest", "state": "ready", "paused": true],
        ]
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "hello": .result(Self.hello)
            case "status": .result(["accounts": accounts])
            default: .result(["checks": Self.keyring])
            }
        }
        defer { daemon.stop() }
        var there = Self.surroundings(daemon)
        there.environment["HOME"] = home
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.code == 1 && outcome.talk == "3 things are wrong.\n", "\(outcome)")
        #expect(outcome.output.contains("✓ account work") && outcome.output.contains("✗ account old"))
        #expect(
            outcome.output.contains("    → tokenctl login old\n")
                && outcome.output.contains("    → tokenctl resume rest\n")
        )
        #expect(
            outcome.output.contains("has lines for “gone”,") && outcome.output.contains("and there is no such account")
        )
        #expect(
            outcome.output.contains("    → tokenctl setup git gone --undo\n") && !outcome.output.contains("git work")
        )
    }

    @Test func `a token of the account that is named is asked for`() throws {
        let isRefused = Flag()
        let daemon = try StandInDaemon { request in
            switch request.method {
            case "hello": return .result(Self.hello)
            case "status": return .result(["accounts": [["account": "work", "state": "ready"]]])
            case "token.get":
                guard isRefused.isRaised else { return .result(["access_token": "t", "expires_at": 1_000_600]) }
                return .error("not_allowed", code: -32008)
            default: return .result(["checks": Self.keyring])
            }
        }
        defer { daemon.stop() }
        let got = try Self.surroundings(daemon).run(["doctor", "work"], daemon)
        #expect(got.code == 0 && got.output.contains("asked for one and got it; it ends in 10 min"), "\(got)")
        _ = isRefused.raise()
        let refused = try Self.surroundings(daemon).run(["doctor", "work"], daemon)
        #expect(refused.code == 1 && refused.output.contains("✗ token of work"), "\(refused)")
    }

    @Test func `a daemon that refuses is a finding, an account that is not there an error`() throws {
        let refusing = try StandInDaemon { request in
            request.method == "hello" ? .result(Self.hello) : .error("config_invalid", code: -32014)
        }
        defer { refusing.stop() }
        var there = Self.surroundings(refusing)
        // Which store it has, and whether that needs a bus, is not known before the file is fixed.
        there.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
        let outcome = try there.run(["doctor"], refusing)
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("✗ daemon's checks") && outcome.output.contains("– message bus"))
        #expect(outcome.talk == "One thing is wrong.\n")
        let unknown = try StandInDaemon { request in
            request.method == "hello"
                ? .result(Self.hello) : .error("account_unknown", code: -32001, data: ["accounts": ["work"]])
        }
        defer { unknown.stop() }
        let mistyped = try Self.surroundings(unknown).run(["doctor", "wrok"], unknown)
        #expect(mistyped.code == 64)
        #expect(mistyped.talk.contains("→ tokenctl doctor work"))
    }

    @Test(
        arguments: [
            ("loaded", "enabled", "active", "inactive", nil), ("loaded", "disabled", "active", "active", "not enabled"),
            ("loaded", "enabled", "inactive", "inactive", "not active"),
            ("loaded", "enabled", "active", "failed", "failed"),
            ("masked", "masked", "inactive", "inactive", "is masked"), ("not-found", "", "inactive", "inactive", nil),
        ] as [(String, String, String, String, String?)]
    )
    func `what systemd says of the units is understood`(
        _ load: String,
        _ file: String,
        _ socket: String,
        _ service: String,
        _ fault: String?
    ) {
        let units = UserUnits(
            """
            Id=tokend.socket
            LoadState=\(load)
            ActiveState=\(socket)
            UnitFileState=\(file)

            Id=tokend.service
            LoadState=loaded
            ActiveState=\(service)
            UnitFileState=disabled

            """
        )
        #expect(units.isInstalled == (load != "not-found"))
        #expect((units.fault?.detail.contains(fault ?? "")) == (fault == nil ? nil : true), "\(units.fault as Any)")
    }

    @Test(arguments: [("no", "812", true), ("no", "0", false), ("yes", "812", false)])
    func `a socket that is not for this user is told apart from one that was not started`(
        _ result: String,
        _ time: String,
        _ isKept: Bool
    ) {
        let units = UserUnits(
            """
            Id=tokend.socket
            LoadState=loaded
            ActiveState=inactive
            UnitFileState=enabled
            ConditionResult=\(result)
            ConditionTimestampMonotonic=\(time)

            """
        )
        #expect(units.fault?.detail.contains("not for root") == isKept)
        #expect(units.fault?.mend.contains("enable --now") == !isKept)
    }

    @Test func `every finding fits 80 columns, and ASCII where there is nothing else`() {
        let long = String(repeating: "a long “sentence” ", count: 12)
        let checks = [
            Doctor.Check("store of secret-service", .fail, detail: long, mend: "tokenctl unlock"),
            Doctor.Check("loopback ::1", .skip, detail: "\u{1B}[2J"), Doctor.Check("proxy", .ok),
        ]
        let report = DoctorReport(checks)
        for palette in [Palette.plain, Palette(coloured: false, unicode: false)] {
            let lines = report.lines(width: 80, palette: palette)
            for line in lines { #expect(DisplayWidth.of(line) <= 80 && !line.contains("\u{1B}")) }
            #expect(palette.unicode || lines.joined().utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `what passed with the provider is shown below, and asked for only with --trace`() throws {
        let exchange: JSONValue = [
            "request": "POST https://p.example/token", "is_sent": false, "sent": ["refresh_token=…"],
            "received": ["a\u{1B}[31mb"],
        ]
        let daemon = try StandInDaemon { request in
            request.method == "hello" ? .result(Self.hello) : .result(["checks": [], "trace": [exchange]])
        }
        defer { daemon.stop() }
        let outcome = try Self.surroundings(daemon).run(["doctor", "--trace", "work"], daemon)
        #expect(daemon.requests.last?.params == ["account": "work", "trace": true])
        let lines = "\nPOST https://p.example/token   (not sent)\n  > refresh_token=…\n  < a"
        #expect(outcome.output.contains(lines) && !outcome.output.contains("\u{1B}"), "\(outcome.output)")
        let document = try Self.surroundings(daemon).run(["doctor", "--trace", "work", "--json"], daemon)
        #expect(document.json?["trace"]?.array?.count == 1)
    }
}
