// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import Testing
import TokendProtocol
import tokenctl

/// What to do where no daemon answers, and what the store is.
@Suite struct DoctorWaysOutTests {
    /// A user manager that says this of tokend's units.
    static func systemctl(_ socket: String, _ service: String) throws -> TemporaryFile {
        try .script("printf '%s\n' \(socket) '' \(service)\n")
    }

    /// What systemd says of units that are installed, enabled and active.
    static let listening = UserUnits(
        ["tokend.socket", "tokend.service"].map { unit in
            "Id=\(unit)\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\n"
        }
        .joined(separator: "\n")
    )

    private static func place(_ change: (inout DaemonPlace) -> Void) -> DaemonPlace {
        var place = DaemonPlace()
        change(&place)
        return place
    }

    static let ways: [(DaemonPlace, String)] = [
        // An active unit that is started makes no socket.
        (place { $0.units = listening }, "systemctl --user restart tokend.socket"),
        (place { ($0.canLinger, $0.lacksFolder) = (true, true) }, "loginctl enable-linger"),
        (place { $0.lacksFolder = true }, "export XDG_RUNTIME_DIR=FOLDER"),
        (place { ($0.units, $0.caller) = (listening, "alice") }, "run it as alice, without sudo"),
        (place { ($0.isOthers, $0.lacksFolder) = (true, true) }, "log in as yourself"),
        (
            place { ($0.isContainer, $0.lacksFolder) = (true, true) },
            "in a container: mount the socket's folder into it"
        ),
        (DaemonPlace(), "start it by hand: tokend"),
    ]

    @Test(arguments: DoctorWaysOutTests.ways)
    func `where no daemon answers, the first step is the one that leads there`(_ place: DaemonPlace, _ step: String) {
        #expect(DaemonStart.steps(place).first?.hasPrefix(step) == true, "\(DaemonStart.steps(place))")
    }

    @Test func `a socket that somebody removed under systemd is made anew, not enabled again`() throws {
        let folder = try #require(mkdtemp(strdup("/tmp/tokenctl-doctor-XXXXXX")).map { String(cString: $0) })
        defer { rmdir(folder) }
        let systemctl = try Self.systemctl(
            "Id=tokend.socket LoadState=loaded UnitFileState=enabled ActiveState=active",
            "Id=tokend.service LoadState=loaded UnitFileState=disabled ActiveState=active"
        )
        var there = Surroundings()
        there.namesSocket = false
        there.environment["XDG_RUNTIME_DIR"] = folder
        there.programs["systemctl"] = systemctl.path
        let outcome = try there.run(["doctor"])
        #expect(outcome.output.contains("✗ socket"), "\(outcome.output)")
        #expect(outcome.output.contains("→ systemctl --user restart tokend.socket"))
        #expect(!outcome.output.contains("enable --now"))
        #expect(try there.run(["status"]).talk.contains("→ systemctl --user restart tokend.socket"))
    }

    @Test func `where there is no runtime folder, the next step gives the socket a place`() {
        #expect(DaemonStart.placeSteps(canLinger: true)[0].hasPrefix("loginctl enable-linger"))
        #expect(DaemonStart.placeSteps(canLinger: false).count == 1)
        #expect(DaemonStart.placeSteps(canLinger: false)[0].contains("for tokend too"))
    }

    @Test(arguments: [
        ("keepassxc", "KeePassXC 2.7.4", "keepassxc 2.7.4 writes"),
        ("gnome-keyring-daemon", "gnome-keyring-daemon: 42.1", "gnome-keyring-daemon 42.1 writes"),
        // It would hand the call over to the one that runs.
        ("kwalletd5", "kwalletd5 5.103.0", "kwalletd5 writes"), ("keepassxc", "", "keepassxc writes"),
    ])
    func `the program behind the store is named, with its version where it tells it`(
        _ program: String,
        _ output: String,
        _ said: String
    ) throws {
        let daemon = try StandInDaemon { request in
            let check: JSONValue = [
                "name": "store of secret-service", "result": "ok", "program": .string(program),
                "detail": .string("\(program) writes, reads and removes"),
            ]
            return request.method == "hello" ? .result(["version": "1"]) : .result(["checks": [check]])
        }
        defer { daemon.stop() }
        let script = try TemporaryFile.script("echo '\(output)'\n")
        var there = Surroundings()
        there.programs = [program: script.path]
        let outcome = try there.run(["doctor"], daemon)
        #expect(outcome.output.contains("Secret Service: \(said)"), "\(outcome.output)")
    }

    @Test(arguments: [
        ("kwalletd5", "kwalletmanager5"), ("keepassxc", "keepassxc"), ("gnome-keyring-daemon", "seahorse"),
    ])
    func `where a provider has nothing to keep grants in, its own program is the way out`(
        _ provider: String,
        _ step: String
    ) throws {
        let daemon = try StandInDaemon { _ in
            .error("store_unavailable", code: -32010, data: ["provider": .string(provider)])
        }
        defer { daemon.stop() }
        #expect(try Surroundings().run(["token", "work"], daemon).talk.contains("→ \(step)"))
    }
}
