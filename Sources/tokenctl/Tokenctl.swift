// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

@preconcurrency import Glibc

/// The process: descriptors, environment and signals; everything else is `Program`'s.
@main
struct Tokenctl {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let environment = processEnvironment()
        let console = Console(traits: TerminalTraits.current(environment: environment))
        let world = Program.World(
            environment: environment,
            now: { Int64(time(nil)) },
            takeOverSignals: Interruption.takeOver,
            findProgram: { BrowserLauncher.find($0, environment: environment) },
            become: become,
            ownPath: ownPath
        )
        let arguments = CommandLineParser.arguments(
            Array(CommandLine.arguments.dropFirst()),
            startedAs: CommandLine.arguments.first ?? ""
        )
        exit(Program(console: console, world: world).run(arguments))
    }

    private static func become(_ arguments: [String], name: String, environment: [String: String]) -> Int32 {
        let words = CStrings([name] + arguments.dropFirst())
        let variables = CStrings(environment.map { "\($0.key)=\($0.value)" })
        // What is ignored stays ignored in the other program.
        signal(SIGPIPE, SIG_DFL)
        execve(arguments[0], words.pointers, variables.pointers)
        return errno
    }

    private static func ownPath() -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func processEnvironment() -> [String: String] {
        var environment: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { environment[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return environment
    }
}
