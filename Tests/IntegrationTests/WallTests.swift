// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

extension Programs {
    /// The walls around the running unit, tried from within, and what an ordinary user meets.
    @Suite struct Walls {
        @Test func `code that has taken over the unit starts no program, opens no odd socket and makes no code`()
            async throws
        {
            try await SystemdBox.withPackage { box in
                try await box.asUser(
                    "sh",
                    "-c",
                    "mkdir -p ~/.config/tokend; echo '{ store: \"memory\" }' >~/.config/tokend/config.json5"
                )
                try await box.asUser("systemctl", "--user", "start", "tokend.service")
                let shown = try await box.asUser("systemctl", "--user", "show", "-P", "MainPID", "tokend.service")
                let pid = String(shown.dropLast())
                try await fromWithin(box, pid)
                try await fromOutside(box, pid)
                try await hidden(box)
                try await figure(box)
            }
        }

        /// Each line of the unit, and the daemon's own filter, by what they forbid. -1 is EPERM, -97 EAFNOSUPPORT; what
        /// would come without the wall is said beside.
        private func fromWithin(_ box: SystemdBox, _ pid: String) async throws {
            #if arch(x86_64)
                let calls = [
                    // -14 (EFAULT): no path.
                    ("execve 59 0 0 0", -1), ("execveat 322 -100 0 0 0 0", -1),
                    // A descriptor, or -1 without the privilege.
                    ("bluetooth 41 31 3 0", -97), ("packet 41 17 2 0", -97), ("vsock 41 40 1 0", -97),
                    // An address.
                    ("mmap-write-execute 9 0 4096 6 0x22 -1 0", -1), ("mprotect-execute 10 stack 4096 7", -1),
                    // 0, the old personality.
                    ("personality 135 0x0040000", -1),
                    // -22 (EINVAL): no parameters.
                    ("realtime 144 0 1 0", -1),
                    // -9 (EBADF): no file.
                    ("set-user-ID 91 -1 0o4755", -1),
                    // -3 (ESRCH): no such process.
                    ("ptrace 101 1 0 0 0", -1),
                    // -14 (EFAULT): no attributes.
                    ("bpf 321 0 0 8", -1),
                    // 0: what it may do works on.
                    ("getuid 102", SystemdBox.userID),
                ]
                let words = ["-c", WallScripts.inject, pid] + calls.map(\.0)
                let said = try await box.asRoot("/usr/bin/python3", words)
                let expected = calls.map { "\($0.0.split(separator: " ")[0]) \($0.1)\n" }.joined()
                #expect(said == expected)
            #endif
            let status = try await box.asRoot("cat", "/proc/\(pid)/status")
            #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
            #expect(status.contains("Umask:\t0077\n"))
            let limits = try await box.asRoot("grep", "core file", "/proc/\(pid)/limits")
            #expect(limits.split(separator: " ").filter { $0 == "0" }.count == 2)
            // It goes on as if nothing had been tried.
            #expect(try await box.asUser("tokenctl", "version").contains("protocol 1"))
        }

        /// A program of the same user does not get to look into the process.
        private func fromOutside(_ box: SystemdBox, _ pid: String) async throws {
            for file in ["mem", "maps", "environ", "fd/0", "exe"] {
                let looked = try await box.tryAsUser("head", "-c", "1", "/proc/\(pid)/\(file)")
                #expect(looked.status != .code(0), "\(file)")
            }
        }

        /// A process that cannot be looked at is nobody: it sees, and changes nothing.
        private func hidden(_ box: SystemdBox) async throws {
            let said = try await box.asUser("/usr/bin/python3", "-c", WallScripts.hidden)
            #expect(said == "status answered\naccount.list not_allowed\nconfig.reload not_allowed\n")
        }

        /// docs/security.md says what systemd says.
        private func figure(_ box: SystemdBox) async throws {
            let said = try await box.asUser("systemd-analyze", "--user", "--no-pager", "security", "tokend.service")
            let figure = try #require(said.split(separator: "Overall exposure level for tokend.service: ").last)
                .prefix { !$0.isWhitespace }
            let page = DocumentationPage.named("docs/security.md").text
            #expect(page.contains("It says \(figure),"), "\(said)")
        }
    }
}
