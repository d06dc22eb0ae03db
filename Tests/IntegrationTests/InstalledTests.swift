// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

extension Programs {
    /// What the package puts on a machine, as an ordinary user meets it; what the daemon does there is in `Units`.
    @Suite struct Installed {
        private static let units = ["tokend.socket", "tokend.service"]

        @Test func `each part of the package works as installed, and is removed with it`() async throws {
            try await SystemdBox.withPackage { box in
                try await activation(box)
                try await libraries(box)
                try await helpers(box)
                try await manuals(box)
                try await completions(box)
                try await documents(box)
                try await desktopEntry(box)
                try await removal(box)
            }
        }

        /// The socket listens without any step of the user's, and the first client starts the daemon.
        private func activation(_ box: SystemdBox) async throws {
            let verified = try await box.asRoot("dpkg", "--verify", "tokend")
            #expect(verified.isEmpty, "\(verified)")
            let states = try await Self.units.asyncMap { try await property("ActiveState", of: $0, box) }
            #expect(states == ["active", "inactive"], "after the installation")
            #expect(try await box.asUser("systemctl", "--user", "is-enabled", "tokend.socket") == "enabled\n")
            let version = try await box.asUser("tokenctl", "version")
            #expect(version.contains("protocol 1"), "\(version)")
            let daemon = try await box.asUser("tokend", "--version")
            #expect(daemon.hasPrefix("tokend "), "\(daemon)")
            #expect(try await property("ActiveState", of: "tokend.service", box) == "active")
        }

        /// Each library that the programs name is in a package that this one depends on.
        private func libraries(_ box: SystemdBox) async throws {
            let script = """
                for library in $(objdump -p /usr/bin/tokend /usr/libexec/tokend/* | sed -n 's/^ *NEEDED *//p' | sort -u); do
                    dpkg-query --search "*/$library" | sed "s/:.*//; s/^/$library /" | sort -u
                done
                """
            let field = try await box.asRoot("dpkg-query", "--show", "--showformat=${Depends}", "tokend")
            let depends = Set(field.split { ",| ".contains($0) }.map(String.init))
            let found = try await box.asRoot("sh", "-c", script).split(separator: "\n").map { $0.split(separator: " ") }
            let owners = Dictionary(grouping: found) { $0[0] }
            #expect(owners.count > 3, "\(owners)")
            for (library, packages) in owners {
                #expect(
                    packages.contains { depends.contains(String($0[1])) },
                    "\(library) is of no package in \(field)"
                )
            }
        }

        /// git and docker find their helpers by name.
        private func helpers(_ box: SystemdBox) async throws {
            let asked = try await box.asUser(
                "sh",
                "-c",
                """
                printf 'protocol=https\\nhost=git.example\\n\\n' \\
                    | GIT_TERMINAL_PROMPT=0 git -c credential.helper=tokend credential fill 2>&1 || true
                """
            )
            #expect(!asked.contains("not a git command") && asked.contains("terminal prompts disabled"), "\(asked)")
            let listed = try await box.tryAsUser("docker-credential-tokend", "list")
            #expect(listed.status == .code(0) && listed.output.hasPrefix("{"), "\(listed)")
        }

        private func manuals(_ box: SystemdBox) async throws {
            let pages = [
                "tokenctl": "tokenctl(1)", "tokend": "tokend(8)", "tokend-config": "tokend-config(5)",
                "tokend-protocol": "tokend-protocol(7)", "git-credential-tokend": "tokenctl(1)",
                "docker-credential-tokend": "tokenctl(1)",
            ]
            for (page, title) in pages {
                let shown = try await box.tryAsUser("env", "MANPAGER=cat", "MANWIDTH=80", "man", page)
                #expect(
                    shown.output.lowercased().hasPrefix(title),
                    "man \(page): \(shown.output.prefix(80))\(shown.errors)"
                )
            }
        }

        /// Each shell finds the completion where it looks by itself; bash does with bash-completion, which says where.
        private func completions(_ box: SystemdBox) async throws {
            let bash = "source /usr/share/bash-completion/completions/tokenctl && complete -p tokenctl"
            let zsh = "autoload -U compinit && compinit -D -u && print -r -- ${_comps[tokenctl]}"
            let asked = [
                (["bash", "--norc", "-c", bash], "tokenctl\n"), (["zsh", "-f", "-c", zsh], "_tokenctl\n"),
                (["fish", "--private", "-c", "complete --do-complete 'tokenctl statu'"], "status"),
            ]
            for (command, answer) in asked {
                let told = try await box.tryAsUser("env", ["TERM=dumb"] + command)
                #expect(told.output.contains(answer), "\(command[0]) completes nothing: \(told)")
            }
        }

        private func documents(_ box: SystemdBox) async throws {
            let folder = "/usr/share/doc/tokend"
            let pages = DocumentationPage.all.map(\.path).filter { $0.hasPrefix("docs/providers/") }
            for file in ["copyright", "changelog.gz", "tools.md"] + pages.map({ String($0.dropFirst("docs/".count)) }) {
                let read = try await box.tryAsUser("test", "-s", "\(folder)/\(file)")
                #expect(read.status == .code(0), "\(folder)/\(file) is missing")
            }
        }

        /// What a browser or a file manager starts with the address of a redirect.
        private func desktopEntry(_ box: SystemdBox) async throws {
            let file = "/usr/share/applications/tokend.desktop"
            let checked = try await box.tryAsUser("desktop-file-validate", file)
            #expect(checked.status == .code(0) && checked.output.isEmpty, "\(checked)")
            let script = "exec $(sed -n 's/^Exec=//p' \(file) | sed 's/%u/com.example.none:\\/x?state=1\\&code=2/')"
            let run = try await box.tryAsUser("sh", "-c", script)
            #expect(run.errors.contains("sign-in"), "the desktop entry starts no tokenctl: \(run)")
        }

        /// Of the package nothing is left, neither running nor as a file.
        private func removal(_ box: SystemdBox) async throws {
            let pid = try await property("MainPID", of: "tokend.service", box)
            try await box.asRoot("dpkg", "--remove", "tokend")
            let runs = try await box.tryAsUser("kill", "-0", pid)
            #expect(runs.status != .code(0), "the daemon outlives its package")
            let states = try await Self.units.asyncMap { try await property("LoadState", of: $0, box) }
            #expect(states == ["not-found", "not-found"], "the user's manager has the units still")
            try await box.asRoot("dpkg", "--purge", "tokend")
            let names = "\\( -name '*tokend*' -o -name '*tokenctl*' \\) ! -name \(SystemdBox.user)"
            let search = "find /etc /usr /var/lib -xdev \(names)"
            let left = try await box.asRoot("sh", "-c", search)
            #expect(left.isEmpty, "left behind: \(left)")
        }

        private func property(_ name: String, of unit: String, _ box: SystemdBox) async throws -> String {
            String(try await box.asUser("systemctl", "--user", "show", "-P", name, unit).dropLast())
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
