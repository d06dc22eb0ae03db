// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import tokenctl

/// One run of `tokenctl` in this process: what it wrote, and its exit code.
struct Outcome {
    let code: Int32
    let output: String
    let talk: String

    /// What it wrote to stdout, as JSON.
    var json: JSONObject? { try? JSONReader().read(output).object }
}

/// Where a run of `tokenctl` takes place.
struct Surroundings {
    var environment: [String: String] = ["LANG": "C.UTF-8"]
    /// Whether `TOKEND_SOCKET` is set.
    var namesSocket = true
    var input = ""
    /// Whether stdin and stderr are a terminal.
    var isInteractive = false
    var outputIsTerminal = false
    var now: Int64 = 1_000_000
    /// Given instead of signals.
    var interruption = Interruption(descriptor: -1)
    /// The programs that there are.
    var programs: [String: String] = [:]
    /// The error number with which becoming another program fails.
    var becoming: Int32 = 0
    /// Told of the program that it became.
    var became: ([String], String, [String: String]) -> Void = { _, _, _ in }

    /// Runs `tokenctl` against the stand-in.
    func run(_ arguments: [String], _ daemon: StandInDaemon? = nil) throws -> Outcome {
        // As in the program itself.
        signal(SIGPIPE, SIG_IGN)
        var environment = environment
        if namesSocket { environment["TOKEND_SOCKET"] = daemon?.path ?? "/nonexistent/tokend.sock" }
        let traits = TerminalTraits(
            inputIsTerminal: isInteractive,
            outputIsTerminal: outputIsTerminal,
            errorIsTerminal: isInteractive,
            columns: 80,
            environment: environment.merging(["NO_COLOR": "1"]) { own, _ in own }
        )
        let files = try [ScratchFile(input), ScratchFile(), ScratchFile()]
        let console = Console(
            input: files[0].descriptor,
            output: files[1].descriptor,
            error: files[2].descriptor,
            traits: traits
        )
        let world = Program.World(
            variables: ProgramVariables(environment),
            now: { now },
            takeOverSignals: { interruption },
            pathOf: { programs[$0.text].map { SystemText($0) } },
            become: { arguments, name, variables in
                became(arguments.map(\.text), name.text, variables.texts)
                return becoming
            },
            ownPath: { "/usr/bin/tokenctl" }
        )
        let code = Program(console: console, world: world).run(SystemText.list(arguments))
        let outcome = Outcome(code: code, output: files[1].text, talk: files[2].text)
        // Whatever a test is about: what it is told to do next can be done.
        AdviceLine.check(outcome.talk)
        return outcome
    }
}

/// A file without a name.
private final class ScratchFile {
    let descriptor: Int32

    init(_ text: String = "") throws {
        var template = Array("/tmp/tokenctl-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SystemFailure(errno) }
        unlink(template)
        _ = write(descriptor, text, text.utf8.count)
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    var text: String {
        lseek(descriptor, 0, SEEK_SET)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A stand-in for Ctrl-C: `press` makes the interruption's descriptor readable, as the signal handler does.
struct CtrlC: Sendable {
    let interruption: Interruption
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure(errno) }
        interruption = Interruption(descriptor: ends[0])
        writeEnd = ends[1]
    }

    func press(_ signal: Int32 = SIGINT) {
        var byte = UInt8(signal)
        _ = write(writeEnd, &byte, 1)
    }

    func close() {
        Glibc.close(interruption.descriptor)
        Glibc.close(writeEnd)
    }
}
