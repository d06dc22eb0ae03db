// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokenClient

/// A program whose standard descriptors are pipes of ours, and one more on which it may tell us something.
struct PipedProgram {
    /// Where bytes of the program come from.
    enum Source: CaseIterable {
        /// Its descriptor 3.
        case aside
        case output, errors
    }

    /// The path first.
    let arguments: [SystemText]
    /// All of its variables.
    let environment: ProgramVariables

    /// Runs it to its end: `input` is its stdin; every piece that it writes goes to `receive`, and what it wrote first on
    /// descriptor 3 comes first. The result is its exit code (128 and above: the signal that ended it); nil where it
    /// could not be started, or has not ended at the deadline.
    func run(
        input: [UInt8] = [],
        until deadline: Deadline? = nil,
        receive: (Source, ArraySlice<UInt8>) -> Void
    ) -> Int32? {
        guard let stdin = Pipe(), let stdout = Pipe(), let stderr = Pipe(), let aside = Pipe() else { return nil }
        let start = ProgramStart(
            arguments: arguments,
            environment: environment,
            descriptors: [stdin.readEnd, stdout.writeEnd, stderr.writeEnd, aside.writeEnd]
        )
        guard let pid = start() else { return nil }
        stdin.closeReadEnd()
        for pipe in [stdout, stderr, aside] { pipe.closeWriteEnd() }
        var pump = PipePump(input: stdin, pending: input[...], sources: [aside, stdout, stderr])
        let ended = pump.run(until: deadline) { index, bytes in receive(Source.allCases[index], bytes) }
        if !ended { kill(pid, SIGKILL) }
        let code = Self.wait(for: pid)
        return ended ? code : nil
    }

    /// The exit code of a program that was started here, once it has ended.
    static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : ExitCode.signal + signal
    }
}

/// A pipe; what is still open is closed with its last reference.
final class Pipe {
    private(set) var readEnd: Int32
    private(set) var writeEnd: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        closeReadEnd()
        closeWriteEnd()
    }

    func closeReadEnd() {
        if readEnd >= 0 { close(readEnd) }
        readEnd = -1
    }

    func closeWriteEnd() {
        if writeEnd >= 0 { close(writeEnd) }
        writeEnd = -1
    }
}
