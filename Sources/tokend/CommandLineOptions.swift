// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker

/// The daemon's command line.
struct CommandLineOptions {
    /// What to do.
    enum Mode {
        case run
        case check
        case version
        case help
    }

    var mode = Mode.run
    var configurationFolder: String?
    var socket: String?
    var store: DaemonConfiguration.Store?
    var logLevel: DaemonConfiguration.LogLevel?

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: a sentence that names the argument.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            let name = argument.hasPrefix("--") ? parts[0] : argument
            let inline = argument.hasPrefix("--") && parts.count == 2 ? parts[1] : nil
            switch name {
            case "--config-dir": configurationFolder = try Self.value(inline, of: name, &rest)
            case "--socket": socket = try Self.value(inline, of: name, &rest)
            case "--store": store = try Self.word(try Self.value(inline, of: name, &rest), of: name)
            case "--log-level": logLevel = try Self.word(try Self.value(inline, of: name, &rest), of: name)
            case "--check": mode = .check
            case "--version": mode = .version
            case "-h", "--help": mode = .help
            default:
                let hint = ClosedWords.hint(for: name, among: Self.names)
                throw UsageError(message: "there is no option “\(argument)”\(hint)")
            }
        }
    }

    private static let names = ["--config-dir", "--socket", "--store", "--log-level", "--check", "--version", "--help"]

    private static func value(
        _ inline: String?,
        of name: String,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError(message: "\(name) needs a value")
        }
        return value
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ text: String,
        of name: String
    ) throws(UsageError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue)
            throw UsageError(
                message: "\(name) takes one of: \(words.joined(separator: ", "))"
                    + ClosedWords.hint(for: text, among: words)
            )
        }
        return word
    }

    static let help = """
        tokend - holds your OAuth sign-ins and hands fresh access tokens to local programs

        Usage: tokend [--config-dir DIR] [--socket PATH] [--store KIND] [--log-level LEVEL]
               tokend --check      read the configuration, print its faults, end with 0 or 78
               tokend --version

          --config-dir DIR     instead of $XDG_CONFIG_HOME/tokend
          --socket PATH        instead of $XDG_RUNTIME_DIR/tokend/tokend.sock
          --store KIND         auto, secret-service, file or memory
          --log-level LEVEL    error, warning, notice, info or debug

        It stays in the foreground. As a service: systemctl --user enable --now tokend.socket
        To sign in: tokenctl login

        """
}

/// A fault of the command line.
struct UsageError: Error {
    var message: String
}
