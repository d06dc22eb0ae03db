// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// The built `tokend`, run as a service manager would, in folders of its own beside a `KeyringSession`'s.
///
/// Readiness comes through `NOTIFY_SOCKET`; nothing is polled. Dropping the last reference kills the process.
package final class DaemonProcess: Sendable {
    /// Folders and environment, which outlive one daemon.
    package let world: DaemonWorld
    package let process: ChildProcess
    /// What the daemon tells its service manager.
    package let notifications: NotifySocket

    /// Starts `tokend`, and returns once it is ready.
    ///
    /// - Parameter wrapper: a command that becomes `tokend`, in surroundings of another kind.
    package static func start(
        _ world: DaemonWorld,
        arguments: [String] = [],
        adding variables: [String: String] = [:],
        by wrapper: [String] = []
    ) async throws -> DaemonProcess {
        let daemon = try DaemonProcess(world, arguments: arguments, adding: variables, by: wrapper)
        try await daemon.awaitReadiness()
        return daemon
    }

    /// Starts `tokend` without waiting for anything.
    package init(
        _ world: DaemonWorld,
        arguments: [String] = [],
        adding variables: [String: String] = [:],
        by wrapper: [String] = []
    ) throws {
        self.world = world
        notifications = try NotifySocket(path: world.freshNotifyPath())
        let environment = world.environment.merging(variables) { $1 }
            .merging(["NOTIFY_SOCKET": notifications.path]) { $1 }
        let command = wrapper + [try BuildProducts.program("tokend")] + arguments
        process = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
    }

    /// Waits for `READY=1`; an end before that is reported with what the daemon said.
    package func awaitReadiness(within limit: Duration = .seconds(30)) async throws {
        _ = try await process.whileRunning { [notifications] in
            try await notifications.next("READY=1", within: limit)
        }
    }

    /// A new connection to the daemon's socket.
    package func connect() throws -> SocketClient { try SocketClient(path: world.socketPath) }

    /// Stops the daemon as a service manager does and waits for its end.
    @discardableResult
    package func stop(within limit: Duration = .seconds(20)) async throws -> ChildProcess.ExitStatus {
        process.signal(SIGTERM)
        return try await process.exit(within: limit)
    }

    /// Ends the daemon without a warning and waits for its end.
    package func kill() async throws {
        process.signal(SIGKILL)
        _ = try await process.exit()
    }

    /// Sets how many descriptors the daemon may have from now on; those that it has stay.
    package func limitDescriptors(_ count: Int) async throws {
        let finished = try await ChildProcess.run(
            "prlimit",
            ["--pid", "\(process.processID)", "--nofile=\(count):"],
            environment: ["PATH": "/usr/bin:/bin"]
        )
        guard finished.status == .code(0) else { throw ChildProcessError("prlimit: \(finished.errors)") }
    }

    /// Waits until the daemon's log has a text, which may come after the answer that it goes with.
    package func hasLogged(_ text: String) async throws { try await process.hasWritten(text) }

    /// What the daemon wrote to standard error so far.
    package var log: String { process.errors }
}
