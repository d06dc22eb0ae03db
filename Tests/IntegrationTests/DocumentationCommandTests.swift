// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
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
            try await Stand.with(prepare: { try Self.prepare(page, $0, $1) }) { stand in
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

        /// The account `work`, and where a page speaks of clients with a secret or a key, one of each.
        private static func prepare(_ page: DocumentationPage, _ world: DaemonWorld, _ provider: FakeProvider) throws {
            try world.writeAccount("work", issuer: provider.issuer)
            for (name, method) in [("web", "client_secret_basic"), ("ci", "private_key_jwt")]
            where page.text.contains("account secret \(name)") {
                try world.writeAccount(name, issuer: provider.issuer, more: "client_authentication: \"\(method)\"")
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

        /// What of a box about another's provider can be done without that provider.
        private static let withoutProvider = ["tokenctl account add", "tokenctl setup"]

        @Test func `the boxes about other people's providers make their accounts and set their tools up`() async throws
        {
            let boxes = DocumentationPage.all.flatMap(\.blocks).filter { $0.info == "sh provider" }
            #expect(!boxes.isEmpty)
            try await Stand.with(prepare: { _, _ in }) { stand in
                for box in boxes {
                    let commands = box.text.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
                    #expect(commands.count <= 5 && commands.contains { $0.hasPrefix("tokenctl login") })
                    let lines = commands.filter { line in Self.withoutProvider.contains(where: line.hasPrefix) }
                    #expect(!lines.isEmpty, "\(box.line)")
                    let block = DocumentationPage.Block(
                        info: box.info,
                        line: box.line,
                        text: lines.joined(separator: "\n") + "\n"
                    )
                    let finished = try await run(block, stand)
                    #expect(finished.status == .code(0), "README.md:\(box.line): \(finished)")
                }
            }
        }

        @Test(arguments: DocumentationPage.all.flatMap(\.blocks).filter { $0.info == "sh start" }.map(\.text))
        func `a program marked for it starts, is ready, and stops`(command: String) async throws {
            let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
            try #require(words.first == "tokend")
            try await KeyringSession.with(.unlocked) { session in
                let daemon = try await DaemonProcess.start(DaemonWorld(session), arguments: Array(words.dropFirst()))
                #expect(try await daemon.connect().result("hello")["name"] == "tokend")
                #expect(try await daemon.stop() == .code(0))
            }
        }

        /// What blocks of commands that nothing runs as they stand begin with, and why.
        private static let unrun = [
            // They run all of these tests, and for long.
            "scripts/demo", "scripts/test", "scripts/bench", "swift build",
            // .ci/package does it, as root.
            "sudo apt-get install",
            // Other people's providers.
            "tokenctl login work --provider", "tokenctl login mail --provider", "tokenctl account add --list-providers",
            "tokenctl account add mail --provider",
            // Others publish the file.
            "sudo apt install ./tokend",
        ]

        @Test func `every block of commands is marked for a test, or named with the reason why not`() {
            for page in DocumentationPage.all {
                for block in page.blocks where block.info == "sh" {
                    let isNamed = Self.unrun.contains(where: block.text.hasPrefix)
                    let isOutside = page.path.hasPrefix("docs/providers/")
                    #expect(isNamed || isOutside, "\(page.path):\(block.line): \(block.text)")
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

        /// The pages' example hosts and names are the stand's.
        private static func played(_ block: DocumentationPage.Block, _ stand: Stand) -> String {
            let client = block.text.contains("--client-secret-file") ? "web" : "tokend"
            return block.text.replacing("https://login.example.com", with: stand.provider.issuer)
                .replacing("https://api.example.com/me", with: stand.provider.origin + "/userinfo")
                .replacing("CLIENT-ID", with: client)
        }

        /// What a block's commands find in the folder that they run in, and in the other tools' settings.
        private static let before = """
            cd "$HOME"
            echo s3cr3t >secret.txt
            openssl genpkey -quiet -algorithm ed25519 -out key.pem
            kubectl config set-context here >/dev/null
            kubectl config use-context here >/dev/null

            """

        /// What a block leaves running has done its work once its file is there; then it ends.
        private static let after = """
            echo "${token-}"
            if [[ -n $(jobs -p) ]]; then
                until [[ -s $AWS_WEB_IDENTITY_TOKEN_FILE ]]; do kill -0 $!; sleep 0.1; done
                kill $!
            fi
            """

        private func run(
            _ block: DocumentationPage.Block,
            _ stand: Stand,
            _ variables: [String: String] = [:]
        ) async throws -> ChildProcess.Finished {
            var environment = stand.world.environment.merging(variables) { $1 }
            environment["PATH"] = BuildProducts.searchPath + ":" + (environment["PATH"] ?? "")
            let source = stand.session.folder + "/example.c"
            try Data(block.text.utf8).write(to: URL(filePath: source))
            let program = stand.session.folder + "/example"
            let command =
                switch block.info {
                case "sh test", "sh new", "sh provider":
                    ["bash", "-euo", "pipefail", "-c", Self.before + Self.played(block, stand) + Self.after]
                case "python test": ["/usr/bin/python3", "-c", block.text]
                default:
                    ["sh", "-euc", "cc -Wall -Wextra -Werror -o \"$1\" \"$2\" && exec \"$1\"", "sh", program, source]
                }
            return try await ChildProcess.run(command[0], Array(command.dropFirst()), environment: environment)
        }
    }
}
