// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

extension Programs {
    /// The commands of README.md and docs, run as they stand.
    @Suite struct DocumentationCommands {
        private static let marks = ["sh test", "python test", "c test"]
        static let pages = DocumentationPage.all.filter { page in page.blocks.contains { marks.contains($0.info) } }

        @Test(arguments: pages) func `commands marked for it work where somebody is signed in`(
            page: DocumentationPage
        ) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                for block in page.blocks where Self.marks.contains(block.info) {
                    let finished = try await run(block, stand)
                    #expect(finished.status == .code(0), "\(page.path):\(block.line): \(finished)")
                    // README's show how to fetch a token.
                    guard page.path == "README.md" else { continue }
                    let words = finished.output.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
                    #expect(words.contains { stand.provider.accepts(accessToken: $0) }, "\(block.line): \(finished)")
                }
            }
        }

        @Test func `README lists the verbs that tokenctl has`() async throws {
            try await KeyringSession.with(.none) { session in
                let help = try await Tokenctl(try DaemonWorld(session)).run("help").output
                let verbs = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                    .compactMap { $0.split(separator: " ").first.map(String.init) }
                let bullet = try #require(
                    DocumentationPage.named("README.md").text.split(separator: "\n- ").first {
                        $0.hasPrefix("**`tokenctl`**")
                    }
                )
                let listed = bullet.prefix { $0 != "." }.split(separator: "`").dropFirst(3)
                #expect(
                    Set(listed.filter { $0.allSatisfy(\.isLetter) }.map(String.init))
                        == Set(verbs).subtracting(["tokenctl"])
                )
            }
        }

        private func run(_ block: DocumentationPage.Block, _ stand: Stand) async throws -> ChildProcess.Finished {
            var environment = stand.world.environment
            environment["PATH"] = BuildProducts.folder + ":" + (environment["PATH"] ?? "")
            let source = stand.session.folder + "/example.c"
            try Data(block.text.utf8).write(to: URL(filePath: source))
            let program = stand.session.folder + "/example"
            let command =
                switch block.info {
                case "sh test": ["bash", "-euo", "pipefail", "-c", block.text + "echo \"${token-}\""]
                case "python test": ["/usr/bin/python3", "-c", block.text]
                default:
                    ["sh", "-euc", "cc -Wall -Wextra -Werror -o \"$1\" \"$2\" && exec \"$1\"", "sh", program, source]
                }
            return try await ChildProcess.run(command[0], Array(command.dropFirst()), environment: environment)
        }
    }
}
