// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient

/// `tokenctl` without the process around it: parse, ask, print. Everything it touches is handed in.
package struct Program {
    /// What the program may know of the world.
    package struct World {
        /// The variables of the process, as other programs get them.
        package let variables: ProgramVariables
        /// The same, to be read here.
        package let environment: [String: String]
        /// Unix seconds.
        package let now: () -> Int64
        /// Makes Ctrl-C something that is told instead of an end.
        package let takeOverSignals: () -> Interruption
        /// A program's path, or nil.
        package let pathOf: (SystemText) -> SystemText?
        /// Becomes another program: its arguments, the path first, the name it was called by, its variables. Comes back
        /// only where that fails, with the error number.
        package let become: ([SystemText], SystemText, ProgramVariables) -> Int32
        /// The path of this program; nil where the system does not tell it.
        package let ownPath: () -> String?

        /// A world of the caller's.
        package init(
            variables: ProgramVariables,
            now: @escaping () -> Int64,
            takeOverSignals: @escaping () -> Interruption,
            pathOf: @escaping (SystemText) -> SystemText?,
            become: @escaping ([SystemText], SystemText, ProgramVariables) -> Int32,
            ownPath: @escaping () -> String?
        ) {
            self.variables = variables
            environment = variables.texts
            self.now = now
            self.takeOverSignals = takeOverSignals
            self.pathOf = pathOf
            self.become = become
            self.ownPath = ownPath
        }

        /// The path of a program of that name, or nil.
        func findProgram(_ name: String) -> String? {
            pathOf(SystemText(name))?.exactText
        }
    }

    private let console: Console
    private let world: World

    /// Everything that the program touches.
    package init(console: Console, world: World) {
        self.console = console
        self.world = world
    }

    /// Does what the arguments (without the program's name) ask for; the result is the exit code.
    package func run(_ arguments: [SystemText]) -> Int32 {
        var code: Int32
        do throws(TokenctlError) {
            code = try perform(try CommandLineParser.parse(arguments))
        } catch {
            report(error, asJSON: CommandLineParser.wantsJSON(arguments.map(\.text)))
            code = error.exitCode
        }
        console.clearSpinner()
        if console.outputFailed, code == ExitCode.success { code = ExitCode.inputOutput }
        return code
    }

    private func perform(_ outcome: CommandLineParser.Outcome) throws(TokenctlError) -> Int32 {
        switch outcome {
        case .run(let invocation):
            let context = CommandContext(invocation, console: console, world: world)
            do throws(TokenctlError) {
                return try invocation.verb.action(context)
            } catch {
                throw context.told(error)
            }
        case .help(let verbs):
            let palette = console.traits.outputPalette
            let lines =
                switch verbs.count {
                case 0: Help.overview(palette: palette)
                case 1: Help.text(verbs[0], palette: palette)
                default: Help.list(verbs, palette: palette)
                }
            lines.forEach(console.print)
            return ExitCode.success
        case .nothing:
            Help.brief(palette: console.traits.errorPalette).forEach(console.sayWhole)
            return ExitCode.usage
        }
    }

    private func report(_ error: TokenctlError, asJSON: Bool) {
        guard !asJSON else {
            console.printJSON(error.json)
            return
        }
        let palette = console.traits.errorPalette
        let text = ErrorText(error, width: console.traits.errorIsTerminal ? console.traits.width : nil)
        for (index, line) in text.lines.enumerated() {
            let rest = line.dropFirst(index == 0 ? ErrorText.begin.count : 0)
            console.sayWhole(index == 0 ? palette.paint("tokenctl:", .bad) + " " + rest : line)
        }
        if let aftermath = error.aftermath { console.say(aftermath, first: "  ") }
        console.sayNext(text.next)
    }
}

extension Program {
    /// The version of this build.
    package static let version = "0.1.0"
}
