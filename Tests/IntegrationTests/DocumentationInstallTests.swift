// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

extension Programs {
    /// The blocks marked `sh box`: installing by hand, in a booted systemd with an ordinary user.
    @Suite struct DocumentationInstall {
        private static let clone = "/srv/tokend"

        @Test func `what is installed by hand starts with its first client, and goes again`() async throws {
            let readme = DocumentationPage.named("README.md").blocks.filter { $0.info == "sh box" }
            let more = DocumentationPage.named("docs/configuration.md").blocks.filter { $0.info == "sh box" }
            try #require(readme.count == 2 && more.count == 2)
            let box = try await SystemdBox.boot(binding: [
                Self.clone + "/systemd": BuildProducts.source + "/systemd",
                Self.clone + "/.build/release": BuildProducts.folder,
            ])
            do {
                try await run(readme[0], box)
                #expect(try await box.asUser("tokenctl", "version").contains("protocol 1"))
                #expect(try await program(box) == "/usr/local/bin/tokend")
                try await run(more[0], box)
                try await box.asUser("sh", "-c", "install -D -t ~/.local/bin /usr/local/bin/tokend")
                try await run(more[1], box)
                try await box.asUser("systemctl", "--user", "restart", "tokend.service")
                #expect(try await program(box).hasSuffix("/.local/bin/tokend"))
                try await run(readme[1], box)
                let state = try await box.tryAsUser("systemctl", "--user", "is-active", "tokend.socket")
                #expect(state.output == "inactive\n")
            } catch {
                Issue.record("\(error)")
            }
            await box.stop()
        }

        /// The file of the daemon that runs.
        private func program(_ box: SystemdBox) async throws -> String {
            let process = try await box.asUser("systemctl", "--user", "show", "-P", "MainPID", "tokend.service")
            // The daemon lets nobody but root look.
            return String(try await box.asRoot("readlink", "/proc/\(process.dropLast())/exe").dropLast())
        }

        /// Lines that begin with `sudo` are run by root, all others by the user.
        private func run(_ block: DocumentationPage.Block, _ box: SystemdBox) async throws {
            var own: [String] = []
            for line in block.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
                guard line.hasPrefix("sudo ") else {
                    own.append(line)
                    continue
                }
                try await asUser(own, box)
                own = []
                try await box.asRoot("bash", "-euc", "cd \(Self.clone) && " + line.dropFirst(5))
            }
            try await asUser(own, box)
        }

        private func asUser(_ lines: [String], _ box: SystemdBox) async throws {
            guard lines.contains(where: { !$0.isEmpty }) else { return }
            try await box.asUser("bash", "-euc", "cd \(Self.clone)\n" + lines.joined(separator: "\n"))
        }
    }
}
