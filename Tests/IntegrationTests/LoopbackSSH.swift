// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport

/// A real `sshd` on a loopback port, for this user alone, with a key of its own; and an `ssh` that knows the way.
final class LoopbackSSH {
    /// What the machine over there is called.
    static let host = "over-there"
    /// A folder in which a program finds this `ssh` before all others.
    let programs: String
    /// `$XDG_RUNTIME_DIR` over there.
    let runtimeFolder: String
    private let server: ChildProcess

    init(in folder: String) async throws {
        for program in ["/usr/sbin/sshd", "/usr/bin/ssh"] { try MissingPrerequisite.require(program: program) }
        let own = folder + "/ssh"
        (programs, runtimeFolder) = (own + "/bin", own + "/run")
        for path in [own, programs, runtimeFolder] {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        // Where root's sshd keeps its children apart.
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
        for key in ["host", "person"] {
            _ = try await Self.run("/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(own)/\(key)")
        }
        try Self.write("#!/bin/sh\nexec /usr/bin/ssh -F \(own)/ssh_config \"$@\"\n", to: programs + "/ssh")
        chmod(programs + "/ssh", 0o755)
        server = try await FreePort.start { port in try await Self.start(in: own, at: port) }
    }

    /// The server, which listens, with the settings of both ends.
    private static func start(in own: String, at port: UInt16) async throws -> ChildProcess {
        try write(
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(own)/host
            AuthorizedKeysFile \(own)/person.pub
            PidFile none
            UsePAM no
            StrictModes no
            PermitRootLogin yes
            SetEnv XDG_RUNTIME_DIR=\(own)/run
            """,
            to: own + "/sshd_config"
        )
        try write(
            """
            Host \(host)
            HostName 127.0.0.1
            Port \(port)
            IdentityFile \(own)/person
            IdentitiesOnly yes
            UserKnownHostsFile \(own)/known
            StrictHostKeyChecking accept-new
            LogLevel ERROR
            """,
            to: own + "/ssh_config"
        )
        let server = try ChildProcess(
            "/usr/sbin/sshd",
            ["-D", "-e", "-f", own + "/sshd_config"],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        )
        _ = try await server.whileRunning { try await server.talk { $0.contains("Server listening") } }
        return server
    }

    deinit { drop() }

    /// Ends every connection, as a network that goes away does; the server stays.
    func drop() {
        let children = "/proc/\(server.processID)/task/\(server.processID)/children"
        let text = (try? String(contentsOf: URL(filePath: children), encoding: .utf8)) ?? ""
        for child in text.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGKILL) }
    }

    private static func write(_ text: String, to path: String) throws {
        try Data((text + "\n").utf8).write(to: URL(filePath: path), options: .atomic)
    }

    private static func run(_ program: String, _ arguments: String...) async throws -> String {
        let environment = ["PATH": "/usr/bin:/bin"]
        let finished = try await ChildProcess.run(program, arguments, environment: environment, within: .seconds(30))
        guard finished.status == .code(0) else { throw ChildProcessError("\(program): \(finished.errors)") }
        return finished.output
    }
}
