// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TestSupport
import Testing

extension Programs {
    /// The blocks marked `sh box`: installing, in a booted systemd with an ordinary user.
    @Suite struct DocumentationInstall {
        private static let clone = "/srv/tokend"
        private static let programs = "/srv/programs"

        @Test func `what is installed from a clone starts with its first client, and goes again`() async throws {
            let readme = DocumentationPage.named("README.md").blocks.filter { $0.info == "sh box" }
            let more = DocumentationPage.named("docs/configuration.md").blocks.filter { $0.info == "sh box" }
            try #require(readme.count == 2 && more.count == 5)
            // What is shipped has a folder of programs that only others call beside the one of those that people do.
            let shipped = BuildProducts.shippedFolder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
            let files = [Self.clone: BuildProducts.source, Self.programs: shipped]
            try await SystemdBox.with(binding: files) { box in
                let before = try await self.files(box)
                try await run(readme[0], box)
                let version = try await box.asUser("sh", "-c", "~/.local/bin/tokenctl version")
                #expect(version.contains("protocol 1"))
                #expect(try await program(box).hasSuffix("/.local/bin/tokend"))
                let process = try await mainProcess(box)
                try await run(readme[0], box)
                #expect(try await mainProcess(box) != process)
                try await keyFromCredential(more[0], box)
                try await run(more[1], box)
                try await box.asUser("sh", "-c", "install -D -t ~/bin ~/.local/bin/tokend")
                try await run(more[2], box)
                try await box.asUser("systemctl", "--user", "restart", "tokend.service")
                #expect(try await program(box).hasSuffix("/bin/tokend"))
                try await box.asUser("sh", "-c", "rm -r ~/bin ~/.config/systemd/user/tokend.service.d")
                // Whom it is for is tried by .ci/package, which has such an account.
                try await run(more[3], box)
                try await box.asUser("sh", "-c", "rm -r ~/.config/systemd/user/tokend.socket.d")
                try await run(more[4], box)
                try await run(readme[1], box)
                let state = try await box.tryAsUser("systemctl", "--user", "is-active", "tokend.socket")
                #expect(state.output == "inactive\n")
                #expect(try await self.files(box) == before)
            }
        }

        /// A server's daemon opens its store at each start, with nobody there.
        private func keyFromCredential(_ block: DocumentationPage.Block, _ box: SystemdBox) async throws {
            try await run(block, box)
            for _ in 0..<2 {
                try await box.asUser("systemctl", "--user", "restart", "tokend.service")
                // Other things may be missing in a box.
                let doctor = try await box.tryAsUser("sh", "-c", "~/.local/bin/tokenctl doctor")
                #expect(doctor.output.contains("file: writes, reads and removes"), "\(doctor)")
            }
            let made = "~/.config/tokend ~/.config/systemd/user/tokend.service.d ~/.local/share/tokend"
            try await box.asUser("sh", "-c", "rm -r \(made); systemctl --user daemon-reload")
            try await box.asUser("systemctl", "--user", "restart", "tokend.service")
        }

        /// Everything that the user has, but for what systemd and the daemon make for themselves.
        private func files(_ box: SystemdBox) async throws -> String {
            try await box.asUser("sh", "-c", "cd && find . -type f -o -type l | sort")
        }

        private func mainProcess(_ box: SystemdBox) async throws -> String {
            String(try await box.asUser("systemctl", "--user", "show", "-P", "MainPID", "tokend.service").dropLast())
        }

        /// The file of the daemon that runs.
        private func program(_ box: SystemdBox) async throws -> String {
            // The daemon lets nobody but root look.
            String(try await box.asRoot("readlink", "/proc/\(try await mainProcess(box))/exe").dropLast())
        }

        /// The programs are those that are shipped.
        private func run(_ block: DocumentationPage.Block, _ box: SystemdBox) async throws {
            let text = block.text.replacing("scripts/install\n", with: "scripts/install --built \(Self.programs)/bin\n")
            try await box.asUser("bash", "-euc", "cd \(Self.clone)\n" + text)
        }
    }
}
