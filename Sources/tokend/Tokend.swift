// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd

/// Parses, composes, runs.
@main
struct Tokend {
    static func main() {
        SignalMask.defaultCrashSignals()
        SignalMask.ignoreBrokenPipes()
        SignalMask.ignoreChildren()
        SignalMask.blockBeforeThreads(Daemon.signals)
        ProcessLimits.apply()
        exit(run(Array(CommandLine.arguments.dropFirst()), ProcessEnvironment.variables))
    }

    private static func run(_ arguments: [String], _ environment: [String: String]) -> Int32 {
        let options: CommandLineOptions
        do {
            options = try CommandLineOptions(arguments)
        } catch {
            complain(error.message + "; see tokend --help")
            return 64
        }
        switch options.mode {
        case .help:
            print(CommandLineOptions.help, terminator: "")
            return 0
        case .version:
            print("tokend \(Version.number)")
            return 0
        case .check:
            return ConfigurationCheck(
                ConfigurationFolders(option: options.configurationFolder, environment: environment)
            )
            .run()
        case .run:
            forbidPrograms(environment)
            do {
                return try Daemon.run(options, environment)
            } catch {
                complain(error.message)
                return error.code
            }
        }
    }

    /// If a user manager opens the browser, this process never needs to start a program.
    private static func forbidPrograms(_ environment: [String: String]) {
        guard DesktopBrowser.usesUserManager(environment) else { return }
        do {
            try ProcessLimits.forbidPrograms()
        } catch {
            complain(error.message)
        }
    }

    private static func complain(_ message: String) {
        FileHandleOutput.standardError.write("tokend: \(message)\n")
    }
}
