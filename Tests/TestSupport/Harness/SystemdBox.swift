// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// A booted systemd (PID 1, journald, logind, D-Bus) on a throw-away overlay of this machine's own root folder, with
/// a private network. Needs root, or `sudo` without a question.
package final class SystemdBox: Sendable {
    /// The ordinary user inside, who exists nowhere else.
    package static let user = "tokend-tester"
    package static let userID = 4242

    /// Its folder in `/run`, and its control group: boxes that run at the same time share nothing.
    private let name: String
    private let process: ChildProcess
    private let leader: String

    private init(name: String, process: ChildProcess, leader: String) {
        self.name = name
        self.process = process
        self.leader = leader
    }

    /// Where the package lies inside, while its user's manager runs and after.
    private static let packageInside = "/srv/tokend.deb"

    /// Boots a box in which the package is installed, by dpkg, while its user is there.
    package static func withPackage(
        binding files: [String: String] = [:],
        home: String? = nil,
        _ body: (SystemdBox) async throws -> Void
    ) async throws {
        let files = files.merging([packageInside: try BuildProducts.package()]) { $1 }
        try await with(binding: files, home: home) { box in
            try await box.installPackage()
            try await body(box)
        }
    }

    /// Installs the package, or upgrades it to itself.
    package func installPackage() async throws {
        // Whatever this machine leaves out of its packages.
        try await asRoot("dpkg", "--path-include=/usr/share/*", "--install", Self.packageInside)
    }

    /// Boots a box with these files of the machine at other places in it, read-only, runs `body` once its user manager
    /// does, and takes it down whatever happens. What `body` throws comes with the end of the box's journal.
    ///
    /// - Parameter home: a folder of the machine that is the box's `/home`, and outlives it; nil: one of its own.
    package static func with(
        binding files: [String: String] = [:],
        home: String? = nil,
        _ body: (SystemdBox) async throws -> Void
    ) async throws {
        let box = try await boot(binding: files, home: home)
        do {
            try await body(box)
        } catch {
            let journal = try? await box.asRoot("journalctl", "--no-pager", "-n", "100", "-o", "short-monotonic")
            await box.stop()
            throw ChildProcessError("\(error)\n\(journal ?? "")")
        }
        await box.stop()
    }

    private static func boot(binding files: [String: String], home: String?) async throws -> SystemdBox {
        try MissingPrerequisite.require(program: "/usr/bin/systemd-nspawn")
        let name = "tokend-box-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let root = rootFolder(name)
        // nspawn refuses `/` itself. The bind is read-only, so that nothing that goes wrong can hurt the machine.
        try await Self.root("mkdir", "-p", root)
        do {
            try await Self.root("mount", "--bind", "/", root)
            try await Self.root("mount", "-o", "remount,bind,ro", root)
            return try await start(name, binding: files, home: home)
        } catch {
            await remove(name)
            throw error
        }
    }

    private static func rootFolder(_ name: String) -> String { "/run/\(name)/root" }

    private static func start(
        _ name: String,
        binding files: [String: String],
        home: String?
    ) async throws -> SystemdBox {
        let notifications = try NotifySocket(path: temporaryPath("tokend-box-notify"))
        let command = asRoot(
            [
                "env", "NOTIFY_SOCKET=" + notifications.path, controlGroup, "enter", name, "systemd-nspawn", "--quiet",
                "--boot", "--notify-ready=yes", "-D", rootFolder(name), "--volatile=overlay", "--register=no",
                "--keep-unit", "--private-network", "--machine=" + name, "--link-journal=no", "--console=pipe",
                "--kill-signal=SIGRTMIN+3",
            ] + files.sorted { $0.key < $1.key }.map { "--bind-ro=\($0.value):\($0.key)" }
                + (home.map { ["--bind=\($0):/home"] } ?? []) + (Sanitizer.reportFolder.map { ["--bind=\($0)"] } ?? [])
        )
        let process = try ChildProcess(command[0], Array(command.dropFirst()), environment: hostEnvironment)
        let prefix = "X_NSPAWN_LEADER_PID="
        let leader = try await process.whileRunning { try await notifications.next(prefix, within: .seconds(60)) }
        let box = SystemdBox(name: name, process: process, leader: String(leader.dropFirst(prefix.count)))
        do {
            _ = try await process.whileRunning {
                try await notifications.next("READY=1", within: .seconds(120))
            }
            try await box.addUser()
        } catch {
            await box.stop()
            throw error
        }
        return box
    }

    /// Runs a program inside, as root, to its end; throws where it fails.
    @discardableResult
    package func asRoot(_ program: String, _ arguments: String...) async throws -> String {
        try await asRoot(program, arguments)
    }

    /// The same, with arguments that a test has put together.
    @discardableResult
    package func asRoot(_ program: String, _ arguments: [String]) async throws -> String {
        let variables =
            ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"]
            + Self.sanitizer
        return try await enter(["env", "-i"] + variables + [program] + arguments)
    }

    /// Runs a program inside, as the ordinary user with the user manager's bus, to its end; throws where it fails.
    @discardableResult
    package func asUser(_ program: String, _ arguments: String...) async throws -> String {
        try await enter(userCommand([program] + arguments))
    }

    /// The same, with the outcome told instead of thrown.
    package func tryAsUser(_ program: String, _ arguments: String...) async throws -> ChildProcess.Finished {
        try await tryAsUser(program, arguments)
    }

    /// The same, with arguments that a test has put together.
    package func tryAsUser(_ program: String, _ arguments: [String]) async throws -> ChildProcess.Finished {
        try await Self.run(Self.asRoot(enterCommand(userCommand([program] + arguments))))
    }

    /// Powers the box off and takes its folders away.
    private func stop() async {
        _ = try? await asRoot("systemctl", "poweroff")
        if (try? await process.exit(within: .seconds(30))) == nil { await process.stop() }
        await Self.remove(name)
    }

    /// Takes away what is left of a box of this name.
    private static func remove(_ name: String) async {
        _ = try? await root(controlGroup, "remove", name)
        _ = try? await root("umount", rootFolder(name))
        _ = try? await root("rmdir", rootFolder(name), "/run/" + name)
    }

    private func addUser() async throws {
        // The user manager and its units have it from there.
        if !Self.sanitizer.isEmpty { try await asRoot("systemctl", ["set-environment"] + Self.sanitizer) }
        try await asRoot("useradd", "--create-home", "--uid", "\(Self.userID)", "--shell", "/bin/bash", Self.user)
        try await asRoot("loginctl", "enable-linger", Self.user)
        try await asRoot("systemctl", "start", "user@\(Self.userID).service")
    }

    private func userCommand(_ command: [String]) -> [String] {
        let runtime = "/run/user/\(Self.userID)"
        return [
            "setpriv", "--reuid=\(Self.userID)", "--regid=\(Self.userID)", "--init-groups", "env", "-i",
            "HOME=/home/" + Self.user, "USER=" + Self.user, "LOGNAME=" + Self.user, "LANG=C.UTF-8",
            "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR=" + runtime,
            "DBUS_SESSION_BUS_ADDRESS=unix:path=\(runtime)/bus",
        ] + Self.sanitizer + command
    }

    private func enterCommand(_ command: [String]) -> [String] { ["nsenter", "-t", leader, "-a"] + command }

    private func enter(_ command: [String]) async throws -> String {
        try await Self.checked(Self.asRoot(enterCommand(command)))
    }

    private static let sanitizer = Sanitizer.environment.map { "\($0.key)=\($0.value)" }

    private static let controlGroup = BuildProducts.source + "/scripts/lib/control-group"

    private static let hostEnvironment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]

    private static func asRoot(_ command: [String]) -> [String] {
        geteuid() == 0 ? command : ["sudo", "-n"] + command
    }

    @discardableResult
    private static func root(_ command: String...) async throws -> String { try await checked(asRoot(command)) }

    private static func temporaryPath(_ name: String) -> String {
        "/tmp/\(name).\(getpid()).\(UInt32.random(in: 0 ... .max))"
    }

    private static func checked(_ command: [String]) async throws -> String {
        let finished = try await run(command)
        guard finished.status == .code(0) else {
            throw ChildProcessError("\(command.joined(separator: " ")): \(finished.status) \(finished.errors)")
        }
        return finished.output
    }

    private static func run(_ command: [String]) async throws -> ChildProcess.Finished {
        try await ChildProcess.run(
            command[0],
            Array(command.dropFirst()),
            environment: hostEnvironment,
            within: .seconds(90)
        )
    }
}
