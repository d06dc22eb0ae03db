// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

@preconcurrency import Glibc
import Linux

/// The process: descriptors, environment and signals; everything else is `Program`'s.
@main
struct Tokenctl {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        CoreDumps.forbid()
        let variables = ProgramVariables(texts(environ))
        let console = Console(traits: TerminalTraits.current(environment: variables.texts))
        let world = Program.World(
            variables: variables,
            now: { Int64(time(nil)) },
            takeOverSignals: Interruption.takeOver,
            pathOf: variables.path,
            become: become,
            ownPath: ownPath
        )
        let words = texts(argumentVector())
        let arguments = CommandLineParser.arguments(
            Array(words.dropFirst()),
            startedAs: words.first?.text ?? ""
        )
        exit(Program(console: console, world: world).run(arguments))
    }

    /// The arguments, as the kernel laid them under the variables: their number, they, a null pointer, the variables
    /// (System V ABI, “Initial Process Stack”). Swift's own `CommandLine` finds them by way of `/proc`, which an empty root
    /// does not have.
    private static func argumentVector() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        var first = environ - 1
        var count = 0
        while UInt(bitPattern: first[-1]) != UInt(count) {
            first -= 1
            count += 1
        }
        return first
    }

    private static func become(_ arguments: [SystemText], name: SystemText, variables: ProgramVariables) -> Int32 {
        let path = CStrings(Array(arguments.prefix(1)))
        let words = CStrings([name] + arguments.dropFirst())
        let entries = CStrings(variables.entries)
        // What is ignored stays ignored in the other program.
        signal(SIGPIPE, SIG_DFL)
        return CoreDumps.permitting {
            if let path = path.pointers[0] { execve(path, words.pointers, entries.pointers) }
            return errno
        }
    }

    private static func ownPath() -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A list of texts as C has them, ended by a null pointer.
    private static func texts(_ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [SystemText] {
        var texts: [SystemText] = []
        var entry = list
        while let text = entry.pointee {
            texts.append(SystemText(cString: text))
            entry += 1
        }
        return texts
    }
}
