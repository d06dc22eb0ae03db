// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Runs the built `tokenctl` as a user or a script would.
package struct Tokenctl: Sendable {
    /// What a run left.
    package struct Run: Sendable, CustomStringConvertible {
        package let exitCode: Int32
        package let output: String
        package let talk: String

        package var description: String { "exit \(exitCode)\n--- stdout\n\(output)--- stderr\n\(talk)" }
    }

    private let environment: [String: String]

    /// Runs in this world, without a display and with `BROWSER` unset unless named in `variables`.
    package init(_ world: DaemonWorld, adding variables: [String: String] = [:]) {
        environment = world.environment.merging(variables) { $1 }
    }

    /// Runs to the end. A signal's number is told as 128 and above, as a shell does.
    package func run(_ arguments: String..., within limit: Duration = .seconds(60)) async throws -> Run {
        let finished = try await ChildProcess.run(
            BuildProducts.program("tokenctl"),
            arguments,
            environment: environment,
            within: limit
        )
        let code: Int32 =
            switch finished.status {
            case .code(let code): code
            case .signal(let number): 128 + number
            }
        return Run(exitCode: code, output: finished.output, talk: finished.errors)
    }

    /// Runs to the end with this on standard input.
    package func run(_ arguments: [String], input: String) async throws -> ChildProcess.Finished {
        try await ChildProcess.run(
            BuildProducts.program("tokenctl"),
            arguments,
            environment: environment,
            input: .text(input),
            within: .seconds(60)
        )
    }

    /// Starts with a standard input that the test writes to, for a verb that waits for its user.
    package func startTyping(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(BuildProducts.program("tokenctl"), arguments, environment: environment, input: .pipe)
    }

    /// Starts without waiting, for a verb that waits itself.
    package func start(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(BuildProducts.program("tokenctl"), arguments, environment: environment)
    }

    /// Starts it at a terminal of that size, of `script`'s making; what it writes there is the output, as it wrote it.
    /// What is written to its input is typed there.
    package func startAtTerminal(
        columns: Int = 80,
        rows: Int = 24,
        input: ChildProcess.Input = .none,
        _ arguments: String...
    ) throws -> ChildProcess {
        let words = try ([BuildProducts.program("tokenctl")] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try ChildProcess(
            "/usr/bin/script",
            ["-q", "-e", "-c", "stty cols \(columns) rows \(rows) -onlcr; exec \(words)", "/dev/null"],
            environment: environment.merging(["LANG": "C.UTF-8", "TERM": "xterm-256color"]) { $1 },
            input: input
        )
    }
}
