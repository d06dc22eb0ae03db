// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A program whose output is read line by line while it runs, and which ends with us: its stdin is a pipe of ours.
struct WatchedProgram {
    /// The result.
    enum End: Equatable {
        /// By itself, with this code.
        case code(Int32)
        /// Here, by a signal that came to us.
        case interrupted(Int32)
        /// It could not be started.
        case notStarted
    }

    /// The path first.
    let arguments: [SystemText]
    /// All of its variables.
    let environment: ProgramVariables

    /// Runs it to its end, or until a signal comes.
    ///
    /// - Parameters:
    ///   - output: called with each line of its stdout.
    ///   - talk: called with each line of its stderr.
    func run(until interruption: Interruption, output: (String) -> Void, talk: (String) -> Void) -> End {
        guard let stdin = Pipe(), let stdout = Pipe(), let stderr = Pipe() else { return .notStarted }
        let start = ProgramStart(
            arguments: arguments,
            environment: environment,
            descriptors: [stdin.readEnd, stdout.writeEnd, stderr.writeEnd],
            isDetached: false
        )
        guard let pid = start() else { return .notStarted }
        stdin.closeReadEnd()
        stdout.closeWriteEnd()
        stderr.closeWriteEnd()
        let signal = watch(stdout, stderr, interruption, output, talk)
        stdin.closeWriteEnd()
        if signal != nil { kill(pid, SIGTERM) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        if let signal { return .interrupted(signal) }
        return .code(status & 0x7F == 0 ? status >> 8 & 0xFF : ExitCode.signal + status & 0x7F)
    }

    /// Reads until both ends are closed; a signal that came first is the result.
    private func watch(
        _ stdout: Pipe,
        _ stderr: Pipe,
        _ interruption: Interruption,
        _ output: (String) -> Void,
        _ talk: (String) -> Void
    ) -> Int32? {
        var lines = (LineCutter(), LineCutter())
        while stdout.readEnd >= 0 || stderr.readEnd >= 0 {
            var waiting = [stdout.readEnd, stderr.readEnd, interruption.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            poll(&waiting, nfds_t(waiting.count), -1)
            if let signal = interruption.take() { return signal }
            if waiting[0].revents != 0 { lines.0.read(stdout).forEach(output) }
            if waiting[1].revents != 0 { lines.1.read(stderr).forEach(talk) }
        }
        return nil
    }
}

/// Cuts what a program writes into lines that are fit for a terminal.
private struct LineCutter {
    private static let longest = 64 * 1024
    private var rest: [UInt8] = []

    /// Reads once, and closes the pipe at its end.
    mutating func read(_ pipe: Pipe) -> [String] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(pipe.readEnd, &chunk, chunk.count)
        if count < 0, errno == EINTR { return [] }
        guard count > 0 else {
            pipe.closeReadEnd()
            return rest.isEmpty ? [] : [Self.text(rest)]
        }
        rest += chunk[..<count]
        var lines: [String] = []
        while let end = rest.firstIndex(of: 0x0A) {
            lines.append(Self.text(rest[..<end]))
            rest.removeSubrange(...end)
        }
        if rest.count > Self.longest { rest = [] }
        return lines
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String {
        TerminalText.sanitized(String(decoding: Array(bytes), as: UTF8.self))
    }
}
