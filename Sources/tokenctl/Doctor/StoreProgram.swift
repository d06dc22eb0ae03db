// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokenClient
import TokendProtocol

/// The version of the program behind the secret store, as that program tells it.
struct StoreProgram {
    /// Those that answer `--version` and do nothing else; KDE's hand such a call over to the one that runs.
    private static let telling = ["gnome-keyring-daemon", "keepassxc", "oo7-daemon"]

    private let world: Program.World

    init(_ world: Program.World) {
        self.world = world
    }

    /// The check with the version behind the program's name, where it can be had.
    func named(_ check: Doctor.Check) -> Doctor.Check {
        guard let program = check.program, let detail = check.detail, detail.hasPrefix(program),
            Self.telling.contains(program), let path = world.findProgram(program), let version = version(path)
        else { return check }
        var check = check
        check.detail = "\(program) \(version)" + detail.dropFirst(program.count)
        return check
    }

    private func version(_ path: String) -> String? {
        var variables = world.variables
        // A password manager looks for a display before it looks at its arguments.
        variables.set("QT_QPA_PLATFORM", to: "offscreen")
        var output: [UInt8] = []
        let program = PipedProgram(arguments: SystemText.list([path, "--version"]), environment: variables)
        let code = program.run(until: Deadline(in: .seconds(3))) { source, bytes in
            if source == .output { output += bytes }
        }
        guard code == 0 else { return nil }
        return Self.version(in: String(decoding: output, as: UTF8.self))
    }

    /// The first word of the first line that begins with a digit.
    static func version(in output: String) -> String? {
        let words = output.split(separator: "\n").first?.split(separator: " ") ?? []
        return words.first { $0.first.map { ("0"..."9").contains($0) } == true }
            .map { TerminalText.sanitized(String($0), limit: 40) }
    }
}
