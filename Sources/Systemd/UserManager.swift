// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A program for the user manager to start: an argument vector, never a shell command.
package struct TransientProgram: Sendable, Equatable {
    /// The unit's description, for users.
    package var description: String
    /// The unit's name is this, a number and `.service`.
    package var unitPrefix: String
    /// The program (a path, or a name that the manager looks up) and its arguments.
    package var arguments: [String]
    /// Variables in addition to the manager's own, for example `DISPLAY`.
    package var environment: [String: String]

    /// A program with these arguments; the first is the program itself.
    package init(
        description: String,
        unitPrefix: String,
        arguments: [String],
        environment: [String: String] = [:]
    ) {
        self.description = description
        self.unitPrefix = unitPrefix
        self.arguments = arguments
        self.environment = environment
    }
}

/// The user's service manager (`org.freedesktop.systemd1`), which starts programs that the daemon itself must not.
package enum UserManager {
    private static let name = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"
    private static let interface = "org.freedesktop.systemd1.Manager"

    /// Starts `program` as a transient unit: detached, without descriptors of the caller, `/dev/null` for stdio. It
    /// returns once the program runs; the unit lives as long as any process of it.
    /// - Returns: the unit's name.
    /// - Throws: if there is no user manager, it refuses, or the program cannot be executed; `ETIMEDOUT`.
    @discardableResult
    package static func start(
        _ program: TransientProgram,
        on bus: Bus,
        deadline: Duration
    ) async throws(SystemdError) -> String {
        let unit = "\(program.unitPrefix)-\(getpid())-\(BootInstant.now.microseconds).service"
        let operation = "start \(program.arguments.first ?? "nothing")"
        let jobs = JobResults()
        let removals = BusMatch(sender: name, path: path, interface: interface, member: "JobRemoved")
        // (id, job, unit, result); subscribed before the call, so that the end of a quick job is not missed.
        let slot = try bus.match(removals) { signal in
            guard signal.arguments.count == 4, signal.arguments[2].text == unit else { return }
            jobs.finish(signal.arguments[3].text ?? "")
        }
        defer { slot.cancel() }
        _ = try await bus.call(
            BusCall(
                name,
                path: path,
                interface: interface,
                member: "StartTransientUnit",
                arguments: arguments(unit: unit, program),
                startsPeer: false
            ),
            deadline: deadline
        )
        guard let result = await jobs.result(within: deadline, on: bus.loop) else {
            throw SystemdError(code: ETIMEDOUT, operation: operation)
        }
        guard result == "done" else {
            throw SystemdError(
                code: EIO,
                operation: operation,
                message: "cannot \(operation): the unit's start ended as \(result)"
            )
        }
        return unit
    }

    /// The environment of its units: with the graphical session's variables, once the session has set them.
    /// - Throws: if there is no user manager; `ETIMEDOUT`.
    package static func environment(on bus: Bus, deadline: Duration) async throws(SystemdError) -> [String: String] {
        let call = BusCall(
            name,
            path: path,
            interface: "org.freedesktop.DBus.Properties",
            member: "Get",
            arguments: [.string(interface), .string("Environment")],
            startsPeer: false
        )
        guard case .array(_, let entries)? = try await bus.call(call, deadline: deadline).first?.unwrapped else {
            return [:]
        }
        return entries.compactMap(\.text).reduce(into: [:]) { found, entry in
            let pair = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if pair.count == 2 { found[pair[0]] = pair[1] }
        }
    }

    /// The arguments of `StartTransientUnit`: `ssa(sv)a(sa(sv))`.
    static func arguments(unit: String, _ program: TransientProgram) -> [BusValue] {
        let command = BusValue.structure([
            .string(program.arguments.first ?? ""), .strings(program.arguments), .bool(false),
        ])
        let environment = program.environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let properties: [(String, BusValue)] = [
            ("Description", .string(program.description)),
            // The job ends after execve, so a missing program is noticed.
            ("Type", .string("exec")),
            // xdg-open exits at once and leaves the browser, which must live on.
            ("ExitType", .string("cgroup")),
            ("CollectMode", .string("inactive-or-failed")),
            ("Slice", .string("app.slice")),
            ("StandardInput", .string("null")),
            ("StandardOutput", .string("null")),
            ("StandardError", .string("null")),
            ("Environment", .strings(environment)),
            ("ExecStart", .array(of: "(sasb)", [command])),
        ]
        return [
            .string(unit), .string("fail"),
            .array(of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) }),
            .array(of: "(sa(sv))", []),
        ]
    }
}

/// The result of a unit's start job; it may arrive before or after it is requested.
private final class JobResults {
    private var result: String?
    private var isOver = false
    private var continuation: CheckedContinuation<String?, Never>?

    func finish(_ result: String?) {
        self.result = self.result ?? result
        isOver = true
        continuation?.resume(returning: self.result)
        continuation = nil
    }

    /// The result, or nil if it does not come in time.
    func result(within limit: Duration, on loop: EventLoop) async -> String? {
        if isOver { return result }
        let timer = loop.addTimer(at: .now.advanced(by: limit), accuracy: .milliseconds(100)) { [weak self] in
            self?.finish(nil)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { waiting in
            // Checked in here: the job may have ended on the way (`Task.onLoop`).
            if isOver { waiting.resume(returning: result) } else { continuation = waiting }
        }
    }
}
