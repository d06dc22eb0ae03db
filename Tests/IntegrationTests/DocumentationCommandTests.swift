// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
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
                    // README's show how to fetch a token, and what it is good for.
                    guard page.path == "README.md", !finished.output.contains("alice@example.org") else { continue }
                    let words = finished.output.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.map(String.init)
                    #expect(words.contains { stand.provider.accepts(accessToken: $0) }, "\(block.line): \(finished)")
                }
            }
        }

        /// Blocks that begin where nobody has an account yet.
        private static let beginnings = DocumentationPage.all.flatMap { page in
            page.blocks.filter { $0.info == "sh new" }.map { Beginning(page: page, block: $0) }
        }

        struct Beginning: CustomTestStringConvertible {
            let page: DocumentationPage
            let block: DocumentationPage.Block

            var testDescription: String { "\(page.path):\(block.line)" }
        }

        @Test(arguments: beginnings) func `commands marked for it work where there is no account yet`(
            beginning: Beginning
        ) async throws {
            var settings = ProviderSettings.approving
            settings.clients.append(ProviderClient(id: "web", secret: "s3cr3t"))
            try await Stand.with(settings, prepare: { _, _ in }) { stand in
                let browser = stand.session.folder + "/browser"
                let script = "#!/bin/sh\nexec curl -sSL --noproxy '*' -o /dev/null \"$1\"\n"
                try Data(script.utf8).write(to: URL(filePath: browser))
                chmod(browser, 0o700)
                let finished = try await run(beginning.block, stand, ["BROWSER": browser])
                #expect(finished.status == .code(0), "\(finished)")
                #expect(finished.errors.contains("\nSigned in to "), "\(finished)")
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

        /// The pages' example hosts and names are the stand's.
        private static func played(_ block: DocumentationPage.Block, _ stand: Stand) -> String {
            let client = block.text.contains("--client-secret-file") ? "web" : "tokend"
            return block.text.replacing("https://login.example.com", with: stand.provider.issuer)
                .replacing("https://api.example.com/me", with: stand.provider.origin + "/userinfo")
                .replacing("CLIENT-ID", with: client)
        }

        /// What a block's commands find in the folder that they run in.
        private static let files = "cd \"$HOME\"; echo s3cr3t >secret.txt\n"

        private func run(
            _ block: DocumentationPage.Block,
            _ stand: Stand,
            _ variables: [String: String] = [:]
        ) async throws -> ChildProcess.Finished {
            var environment = stand.world.environment.merging(variables) { $1 }
            environment["PATH"] = BuildProducts.folder + ":" + (environment["PATH"] ?? "")
            let source = stand.session.folder + "/example.c"
            try Data(block.text.utf8).write(to: URL(filePath: source))
            let program = stand.session.folder + "/example"
            let command =
                switch block.info {
                case "sh test", "sh new":
                    ["bash", "-euo", "pipefail", "-c", Self.files + Self.played(block, stand) + "echo \"${token-}\""]
                case "python test": ["/usr/bin/python3", "-c", block.text]
                default:
                    ["sh", "-euc", "cc -Wall -Wextra -Werror -o \"$1\" \"$2\" && exec \"$1\"", "sh", program, source]
                }
            return try await ChildProcess.run(command[0], Array(command.dropFirst()), environment: environment)
        }
    }
}
