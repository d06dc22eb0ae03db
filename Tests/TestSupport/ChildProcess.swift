// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import Glibc
internal import Synchronization

/// A program that a test started: an argument vector, an environment of its own, its output collected.
///
/// It is only ever ended by its process ID, and never after it was reaped. Dropping the last reference kills it.
package final class ChildProcess: Sendable {
    /// How a program ended.
    package enum ExitStatus: Sendable, Equatable {
        /// By itself, with this code.
        case code(Int32)
        /// By this signal.
        case signal(Int32)
    }

    /// Where the program's standard input comes from.
    package enum Input: Sendable {
        /// `/dev/null`.
        case none
        /// These bytes, then the end of the file.
        case bytes([UInt8])
        /// A pipe that stays open for ``ChildProcess/write(_:)`` until ``ChildProcess/closeInput()``.
        case pipe

        /// The UTF-8 of `text`, then the end of the file.
        package static func text(_ text: String) -> Input {
            .bytes(Array(text.utf8))
        }
    }

    /// What a program that ran to its end left.
    package struct Finished: Sendable {
        /// The result.
        package let status: ExitStatus
        /// All it wrote to its standard output.
        package let output: String
        /// All it wrote to its standard error.
        package let errors: String
    }

    /// The process ID; valid for signals through ``signal(_:)`` alone.
    package let processID: Int32
    /// The program's name, for messages.
    package let name: String

    let record: ChildRecord
    private let input: Mutex<Int32?>

    /// Starts `program` (a path, or a name looked up in `PATH` of this process).
    ///
    /// - Parameters:
    ///   - arguments: what follows the program's name.
    ///   - environment: the whole environment; nothing is inherited.
    ///   - input: its standard input.
    ///   - descriptors: the caller's descriptors that the program gets as 3, 4, …; the caller keeps its own.
    /// - Throws: ``ChildProcessError`` when it cannot be started.
    package init(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String],
        input: Input = .none,
        descriptors: [Int32] = []
    ) throws(ChildProcessError) {
        let spawned = try ChildSpawn.spawn(
            program,
            arguments,
            environment: environment,
            piped: input.isPiped,
            descriptors: descriptors
        )
        let record = ChildRecord()
        self.processID = spawned.processID
        self.name = program
        self.record = record
        self.input = Mutex(spawned.input)
        DetachedThread.run { record.collect(from: spawned.output, into: \.output) }
        DetachedThread.run { record.collect(from: spawned.errors, into: \.errors) }
        DetachedThread.run { record.reap(spawned.processID) }
        if case .bytes(let bytes) = input {
            let descriptor = self.input.withLock { $0.take() }
            DetachedThread.run { ChildSpawn.write(bytes, to: descriptor, closing: true) }
        }
    }

    deinit {
        signal(SIGKILL)
        closeInput()
    }

    /// Sends a signal, unless the program has ended.
    package func signal(_ number: Int32) {
        record.state.withLock { state in
            guard state.status == nil else { return }
            kill(processID, number)
        }
    }

    /// Writes to an input of the kind ``Input/pipe``. Blocks while the pipe is full.
    package func write(_ bytes: [UInt8]) {
        ChildSpawn.write(bytes, to: input.withLock { $0 }, closing: false)
    }

    /// Ends an input of the kind ``Input/pipe``.
    package func closeInput() {
        if let descriptor = input.withLock({ $0.take() }) {
            close(descriptor)
        }
    }

    /// What the program has written to its standard output so far.
    package var output: String { record.state.withLock { String(decoding: $0.output, as: UTF8.self) } }

    /// What the program has written to its standard error so far.
    package var errors: String { record.state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

    /// Whether the program has not ended.
    package var isRunning: Bool { record.state.withLock { $0.status == nil } }

    /// Waits for the program's end, and a moment for the last of what it wrote: a grandchild may keep the pipes open.
    package func exit(within limit: Duration = .seconds(30)) async throws(ChildProcessError) -> ExitStatus {
        let status = try await end(within: limit)
        _ = try? await wait("to close its output", within: .seconds(1)) { state in
            state.open == 0 ? true : nil
        }
        return status
    }

    /// Waits for the program's end, and for the last of what it wrote, which may come after that.
    package func exitAndOutput(within limit: Duration = .seconds(30)) async throws(ChildProcessError) -> ExitStatus {
        try await wait("to end", within: limit) { state in state.open == 0 ? state.status : nil }
    }

    /// Waits for a whole line of standard output that `matches`; it may have come already.
    package func line(
        within limit: Duration = .seconds(30),
        where matches: @escaping @Sendable (String) -> Bool = { _ in true }
    ) async throws(ChildProcessError) -> String {
        try await wait("to write a line", within: limit) { state in
            let text = String(decoding: state.output, as: UTF8.self)
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map(String.init).first(where: matches)
        }
    }

    /// Waits until the program has written `text` to its standard error, or to its standard output.
    package func hasWritten(_ text: String, within limit: Duration = .seconds(10)) async throws(ChildProcessError) {
        let bytes = Array(text.utf8)
        _ = try await wait("to write “\(text)”", within: limit) { state in
            [state.errors, state.output].contains { $0.contains(bytes) } ? true : nil
        }
    }

    /// Ends the program: SIGTERM, and SIGKILL if it is still there after `grace`; returns once it is reaped.
    @discardableResult
    package func stop(grace: Duration = .seconds(5)) async -> ExitStatus {
        signal(SIGTERM)
        signal(SIGCONT)
        if let status = try? await end(within: grace) {
            return status
        }
        signal(SIGKILL)
        return (try? await end(within: .seconds(30))) ?? .signal(SIGKILL)
    }

    /// Runs a program to its end.
    package static func run(
        _ program: String,
        _ arguments: [String] = [],
        environment: [String: String],
        input: Input = .none,
        within limit: Duration = .seconds(30)
    ) async throws(ChildProcessError) -> Finished {
        let child = try ChildProcess(program, arguments, environment: environment, input: input)
        let status = try await child.exit(within: limit)
        return Finished(status: status, output: child.output, errors: child.errors)
    }

    private func end(within limit: Duration) async throws(ChildProcessError) -> ExitStatus {
        try await wait("to end", within: limit) { state in state.status }
    }

    private func wait<Value: Sendable>(
        _ purpose: String,
        within limit: Duration,
        for condition: @escaping @Sendable (ChildRecord.State) -> Value?
    ) async throws(ChildProcessError) -> Value {
        if let value = await record.wait(within: limit, for: condition) {
            return value
        }
        throw ChildProcessError("\(name) (process \(processID)) was not seen \(purpose) within \(limit): \(errors)")
    }
}

extension ChildProcess.Input {
    fileprivate var isPiped: Bool {
        if case .none = self { false } else { true }
    }
}

/// A program that could not be started, or did not do in time what a test waits for.
package struct ChildProcessError: Error, CustomStringConvertible {
    /// What happened, with the end of the program's own complaints.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
