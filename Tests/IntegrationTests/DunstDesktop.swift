// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport

/// A desktop that shows notifications: `dunst` on a screen that nobody sees. Each one's button is pressed as soon as it is
/// shown, by dunst's own means, unless nobody is there to press it.
final class DunstDesktop {
    private let folder: String
    private let screen: ChildProcess
    private let dunst: ChildProcess
    private let session: KeyringSession
    /// Tells the title of each notification that is shown, a line each.
    let titles: ChildProcess

    /// - Parameter choice: the label of the button; nil: none is pressed.
    init(_ session: KeyringSession, choosing choice: String?) async throws {
        self.session = session
        for program in ["/usr/bin/Xvfb", "/usr/bin/dunst"] { try MissingPrerequisite.require(program: program) }
        folder = session.folder + "/desktop"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let press = """
            #!/bin/sh
            printf '%s\\n' "$DUNST_SUMMARY" >\(folder)/titles
            [ -s \(folder)/choice ] || exit 0
            exec dunstctl action

            """
        try Self.program(press, at: folder + "/press")
        guard mkfifo(folder + "/titles", 0o600) == 0 else { throw SystemCallError("mkfifo") }
        titles = try ChildProcess("/bin/sh", ["-c", "exec cat 0<>\(folder)/titles"], environment: session.environment)
        try Self.program("#!/bin/sh\nexec grep -m1 -f \(folder)/choice\n", at: folder + "/menu")
        try Data(
            "[global]\n dmenu = \(folder)/menu\n[all]\n appname = tokend\n script = \(folder)/press\n".utf8
        ).write(to: URL(filePath: folder + "/dunstrc"))
        // It picks a free display, and says which once it is there.
        screen = try ChildProcess(
            "/bin/sh",
            ["-c", "exec Xvfb -displayfd 2 -screen 0 640x480x24 -nolisten tcp"],
            environment: session.environment
        )
        let number = try await screen.whileRunning { [screen] in
            try await screen.talk { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
        }
        let environment = session.environment.merging(["DISPLAY": ":" + number]) { $1 }
        dunst = try ChildProcess("/usr/bin/dunst", ["-conf", folder + "/dunstrc"], environment: environment)
        try choose(choice)
        let found = try await session.run(
            "gdbus",
            ["wait", "--session", "--timeout", "30", "org.freedesktop.Notifications"]
        )
        guard found.status == .code(0) else { throw ChildProcessError("dunst: \(dunst.errors)") }
    }

    /// What is pressed from now on; nil: nothing.
    func choose(_ label: String?) throws {
        try Data((label.map { $0 + "\n" } ?? "").utf8).write(to: URL(filePath: folder + "/choice"), options: .atomic)
    }

    /// Presses that button of what is shown, and from now on of whatever is.
    func press(_ label: String) async throws {
        try choose(label)
        _ = try await session.run("dunstctl", ["action"])
    }

    /// How many are shown now.
    func count() async throws -> String {
        try await session.run("dunstctl", ["count", "displayed"]).output.trimmingWhitespace
    }

    private static func program(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o755)
    }
}

extension String {
    fileprivate var trimmingWhitespace: String { String(drop(while: \.isWhitespace).prefix { !$0.isWhitespace }) }
}
