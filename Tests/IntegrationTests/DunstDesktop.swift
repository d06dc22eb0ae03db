// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import TestSupport

/// A desktop that shows notifications: `dunst` on a screen that nobody sees. Each one's button is pressed as soon as it is
/// shown, by dunst's own means.
final class DunstDesktop {
    private let folder: String
    private let screen: ChildProcess
    private let dunst: ChildProcess

    /// - Parameter choice: the label of the button.
    init(_ session: KeyringSession, choosing choice: String) async throws {
        for program in ["/usr/bin/Xvfb", "/usr/bin/dunst"] { try MissingPrerequisite.require(program: program) }
        folder = session.folder + "/desktop"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.program("#!/bin/sh\nexec dunstctl action\n", at: folder + "/press")
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

    /// What is pressed from now on.
    func choose(_ label: String) throws {
        try Data((label + "\n").utf8).write(to: URL(filePath: folder + "/choice"), options: .atomic)
    }

    private static func program(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, 0o755)
    }
}
