// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import TokenClient
import TokendProtocol

/// The checks of `doctor` that only this side of the socket can make; none changes anything.
struct LocalExamination {
    private let world: Program.World
    private var environment: [String: String] { world.environment }

    init(_ world: Program.World) {
        self.world = world
    }

    /// What stands around the daemon: folder, socket, units, bus, browser.
    ///
    /// - Parameter needsBus: whether the daemon keeps grants in what the message bus leads to; nil where that is not known.
    func checks(units: UserUnits?, needsBus: Bool?) -> [Doctor.Check] {
        user() + [runtimeFolder(), socket(units), self.units(units), bus(isNeeded: needsBus), browser()]
    }

    /// Whether this is root, whose sign-ins are not those of the user that sits here; said only where it is.
    private func user() -> [Doctor.Check] {
        guard geteuid() == 0 else { return [] }
        guard let caller = place(units: nil).caller else {
            return [.init("user", .skip, detail: "you are root; other users have sign-ins and settings of their own")]
        }
        let detail = "you are root (by sudo), and the sign-ins are \(caller)'s"
        return [.init("user", .fail, detail: detail, mend: "exit, then as \(caller), without sudo: tokenctl doctor")]
    }

    /// Whether this session has no runtime folder, and so no place for the socket.
    var lacksPlace: Bool {
        guard (environment["TOKEND_SOCKET"] ?? "").isEmpty else { return false }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
            return (try? TokenClient(environment: environment).socketPath) == nil
        }
        return FileStatus(folder) == nil
    }

    /// What decides how the daemon is started, or reached.
    func place() -> DaemonPlace {
        place(units: userUnits())
    }

    func place(units: UserUnits?) -> DaemonPlace {
        let folder = environment["XDG_RUNTIME_DIR"].flatMap(FileStatus.init)
        var place = DaemonPlace(units: units)
        place.namesSocket = environment["TOKEND_SOCKET"]?.isEmpty == false
        place.lacksFolder = lacksPlace
        place.isOthers = !place.namesSocket && folder.map { $0.owner != geteuid() } == true
        place.canLinger = world.findProgram("loginctl") != nil
        place.isContainer = environment["container"]?.isEmpty == false
        if geteuid() == 0, !place.namesSocket, let caller = environment["SUDO_USER"], caller != "root", !caller.isEmpty
        {
            place.caller = TerminalText.sanitized(caller)
        }
        return place
    }

    /// What the user manager says; nil where there is none.
    func userUnits() -> UserUnits? {
        guard let systemctl = world.findProgram("systemctl") else { return nil }
        var output: [UInt8] = []
        let command = SystemText.list([systemctl] + UserUnits.arguments)
        let program = PipedProgram(arguments: command, environment: world.variables)
        let code = program.run(until: Deadline(in: .seconds(5))) { source, bytes in
            if source == .output { output += bytes }
        }
        return code == 0 ? UserUnits(String(decoding: output, as: UTF8.self)) : nil
    }

    private func runtimeFolder() -> Doctor.Check {
        let name = "runtime folder"
        let standard = "/run/user/\(geteuid())"
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else {
            guard FileStatus(standard) != nil else {
                let detail = "XDG_RUNTIME_DIR is not set, and there is no \(standard)"
                return .init(name, .fail, detail: detail, mend: makeFolder)
            }
            return .init(name, .ok, detail: "\(standard) (XDG_RUNTIME_DIR is not set)")
        }
        guard let status = FileStatus(folder), status.isFolder else {
            // The folder that systemd makes is no other than the one that is missing.
            let mend = FileStatus(standard) == nil ? makeFolder : "export XDG_RUNTIME_DIR=\(standard)"
            return .init(name, .fail, detail: "XDG_RUNTIME_DIR names \(folder), which is no folder", mend: mend)
        }
        return ownership(name, folder, status, mode: 0o700) ?? .init(name, .ok, detail: folder)
    }

    private var makeFolder: String? {
        var place = place(units: nil)
        place.lacksFolder = true
        return DaemonStart.steps(place).first
    }

    private func socket(_ units: UserUnits?) -> Doctor.Check {
        let name = "socket"
        guard !lacksPlace else { return .init(name, .skip, detail: "it has no place without that folder") }
        let client: TokenClient
        do throws(TokenClientError) {
            client = try TokenClient(environment: environment)
        } catch {
            return .init(name, .fail, detail: error.message)
        }
        let path = client.socketPath
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let socket = FileStatus(path) else {
            guard units?.isListening == true, environment["TOKEND_SOCKET"] == nil else {
                return .init(name, .skip, detail: "there is no \(path)")
            }
            let detail = "there is no \(path), although systemd listens: somebody has removed it"
            return .init(name, .fail, detail: detail, mend: UserUnits.makeSocketAnew)
        }
        guard socket.isSocket else {
            return .init(name, .fail, detail: "\(path) is no socket", mend: "rm \(ShellWord.quoted(path))")
        }
        guard client.listener == geteuid() else {
            let isTheirs = socket.owner == client.listener
            let detail = "\(path) belongs to uid \(socket.owner)\(isTheirs ? "" : ", not to uid \(client.listener)")"
            return .init(name, isTheirs ? .ok : .fail, detail: detail)
        }
        if let fault = ownership(name, path, socket, mode: 0o600) { return fault }
        // A socket that a user placed elsewhere may lie in a shared folder: its own mode guards it.
        if environment["TOKEND_SOCKET"] == nil, let status = FileStatus(folder),
            let fault = ownership(name, folder, status, mode: 0o700)
        {
            return fault
        }
        return .init(name, .ok, detail: path)
    }

    private func ownership(_ name: String, _ path: String, _ status: FileStatus, mode: UInt32) -> Doctor.Check? {
        guard status.owner == geteuid() else {
            let detail = "\(path) belongs to uid \(status.owner), not to you"
            return .init(name, .fail, detail: detail, mend: "log in as yourself: su and sudo keep the other's folder")
        }
        guard status.mode & 0o077 != 0 else { return nil }
        let octal = String(mode, radix: 8)
        return .init(name, .fail, detail: "others may use \(path)", mend: "chmod \(octal) \(ShellWord.quoted(path))")
    }

    private func units(_ units: UserUnits?) -> Doctor.Check {
        let name = "systemd units"
        guard let units else { return .init(name, .skip, detail: "no user manager answers; tokend is started by hand") }
        guard units.isInstalled else { return .init(name, .skip, detail: "not installed; tokend is started by hand") }
        if let fault = units.fault { return .init(name, .fail, detail: fault.detail, mend: fault.mend) }
        return .init(name, .ok, detail: "installed, enabled and active")
    }

    private func bus(isNeeded: Bool?) -> Doctor.Check {
        let name = "message bus"
        let named = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        let standard = (environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(geteuid())") + "/bus"
        let paths = named.map { BusAddress($0).paths } ?? [standard]
        guard let first = paths.first else {
            return .init(name, .skip, detail: "DBUS_SESSION_BUS_ADDRESS names no Unix socket: \(named ?? "")")
        }
        let faults = paths.map(BusAddress.fault(at:))
        if let index = faults.firstIndex(of: nil) { return .init(name, .ok, detail: Self.shown(paths[index])) }
        let reason = faults[0].map { String(cString: strerror($0)) } ?? ""
        if SessionBusAddress.replacement(environment: environment) != nil {
            let stale = "DBUS_SESSION_BUS_ADDRESS names \(Self.shown(first)), where nothing answers: \(reason)"
            return .init(name, .ok, detail: "\(Self.shown(standard)) is used instead (\(stale))")
        }
        let origin = named == nil ? " (DBUS_SESSION_BUS_ADDRESS is not set)" : ""
        let fault = "nothing answers at \(Self.shown(first)): \(reason)\(origin)"
        guard let isNeeded else {
            return .init(name, .skip, detail: fault + "; whether the store needs it is not known")
        }
        guard isNeeded else {
            return .init(name, .skip, detail: fault + "; the store needs none, and nothing is notified")
        }
        return .init(
            name,
            .fail,
            detail: fault + "; without it no keyring is found (store: \"file\" in config.json5 needs none)",
            mend: "apt install dbus-user-session, then log in again"
        )
    }

    private static func shown(_ path: String) -> String {
        path.hasPrefix("\0") ? "@" + path.dropFirst() : path
    }

    private func browser() -> Doctor.Check {
        let name = "browser"
        let commands = BrowserCandidates.list(
            url: "https://login.example.com",
            environment: environment,
            find: world.findProgram
        )
        let missing = BrowserCandidates.missing(environment: environment, find: world.findProgram)
        if let program = missing.first {
            let detail = "BROWSER names “\(program)”, and there is no such program"
            return .init(name, .fail, detail: detail, mend: "unset BROWSER")
        }
        if let path = commands.first?.arguments.first { return .init(name, .ok, detail: path) }
        guard BrowserCandidates.hasDisplay(environment) else {
            return .init(name, .skip, detail: "this session has no display; login prints the URL")
        }
        return .init(name, .fail, detail: "nothing opens a web page here", mend: "apt install xdg-utils")
    }
}

/// What the file system says of a path itself, links not followed.
struct FileStatus {
    let owner: UInt32
    let mode: UInt32

    /// Nil where there is nothing.
    init?(_ path: String) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        owner = found.st_uid
        mode = found.st_mode
    }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
}
