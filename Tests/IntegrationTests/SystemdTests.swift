// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The installed package in a booted systemd, with the real user manager, journal and bus.
    @Suite struct Units {
        private static let issuer = "http://127.0.0.1:18080"

        @Test func `the units run a whole life in a booted box`() async throws {
            try await SystemdBox.withPackage(binding: [
                "/usr/bin/demo-provider": BuildProducts.program("demo-provider")
            ]) { box in
                try await prepare(box)
                try await signIn(box)
                try await browser(box)
                try await reload(box)
                try await crash(box)
                try await watchdog(box)
                try await lostSocket(box)
                try await stopAndActivate(box)
                try await journal(box)
            }
        }

        /// The keyring, a provider and an account; the socket listens and the daemon does not run yet.
        private func prepare(_ box: SystemdBox) async throws {
            // A user may read the own journal where it is kept on disk.
            try await box.asRoot(
                "sh",
                "-c",
                "mkdir -p /var/log/journal; systemctl restart systemd-journald; journalctl --flush"
            )
            try await box.asUser(
                "sh",
                "-c",
                "printf pw123 | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1"
            )
            try await box.asUser("gdbus", "wait", "--session", "--timeout", "30", KeyringSession.busName)
            try await box.asUser(
                "systemd-run",
                "--user",
                "--unit=provider",
                "--service-type=exec",
                "/usr/bin/demo-provider",
                "--auto-approve",
                "--port",
                "18080"
            )
            let account = "{ issuer: \"\(Self.issuer)\", client_id: \"tokend\", scopes: [\"openid\", \"email\"] }"
            try await box.asUser(
                "sh",
                "-c",
                """
                umask 077; mkdir -p ~/.config/tokend/accounts; printf '%s' "$1" >~/.config/tokend/accounts/work.json5
                printf '#!/bin/sh\\nexec curl -sSL -o /dev/null "$1"\\n' >~/browser; chmod +x ~/browser
                """,
                "sh",
                account
            )
            #expect(try await state(box, "ActiveState") == "inactive")
            let modes = try await box.asUser(
                "sh",
                "-c",
                "stat -c %a $XDG_RUNTIME_DIR/tokend/tokend.sock $XDG_RUNTIME_DIR/tokend"
            )
            #expect(modes == "600\n700\n")
        }

        private func signIn(_ box: SystemdBox) async throws {
            try await box.asUser("sh", "-c", "BROWSER=$HOME/browser tokenctl login work")
            #expect(try await state(box, "ActiveState") == "active")
            #expect(try await state(box, "StatusText").contains("1"))
            #expect(try await box.asUser("tokenctl", "token", "work").hasPrefix("at-"))
        }

        /// The browser that the daemon opens is started by the user manager, which says that it is.
        private func browser(_ box: SystemdBox) async throws {
            let script = """
                import json, os, socket, subprocess
                home = os.path.expanduser("~")
                with open(home + "/.config/tokend/config.json5", "w") as f: json.dump({"browser": [home + "/browser"]}, f)
                subprocess.run(["tokenctl", "reload"], check=True)
                s = socket.socket(socket.AF_UNIX)
                s.connect(os.environ["XDG_RUNTIME_DIR"] + "/tokend/tokend.sock")
                lines = s.makefile()
                def call(method, **params):
                    s.sendall(json.dumps({"method": method, "params": params}).encode() + b"\\n")
                    reply = json.loads(lines.readline())
                    return reply.get("result") or print(reply)
                started = call("login.start", account="work", open_browser=True)
                print(call("login.wait", login_id=started["login_id"], timeout=30)["account"])
                """
            #expect(try await box.asUser("/usr/bin/python3", "-c", script) == "work\n")
        }

        private func reload(_ box: SystemdBox) async throws {
            let before = try await state(box, "MainPID")
            try await box.asUser("systemctl", "--user", "reload", "tokend.service")
            #expect(try await state(box, "MainPID") == before)
            #expect(try await state(box, "ActiveState") == "active")
        }

        /// A crash is an end: the process goes at once, systemd starts another, the socket and the grant are there.
        private func crash(_ box: SystemdBox) async throws {
            let held = try await box.asUser("tokenctl", "token", "work")
            let before = try await state(box, "MainPID")
            try await box.asUser("kill", "-ABRT", before)
            #expect(try await box.asUser("tokenctl", "token", "work") == held)
            #expect(try await state(box, "MainPID") != before)
            #expect(try await state(box, "NRestarts") == "1")
        }

        /// A daemon that hangs is ended by the watchdog; here its time is cut short.
        private func watchdog(_ box: SystemdBox) async throws {
            try await box.asUser(
                "sh",
                "-c",
                """
                mkdir -p ~/.config/systemd/user/tokend.service.d
                printf '[Service]\\nWatchdogSec=2s\\n' >~/.config/systemd/user/tokend.service.d/short.conf
                systemctl --user daemon-reload && systemctl --user restart tokend.service
                kill -STOP $(systemctl --user show -P MainPID tokend.service)
                """
            )
            _ = try await box.asUser("tokenctl", "token", "work")
            #expect(try await state(box, "NRestarts") == "1")
        }

        /// A socket's file that somebody removed, and the way out that is told.
        private func lostSocket(_ box: SystemdBox) async throws {
            try await box.asUser("sh", "-c", "rm $XDG_RUNTIME_DIR/tokend/tokend.sock")
            let absent = try await box.tryAsUser("tokenctl", "token", "work")
            let step = "systemctl --user restart tokend.socket"
            #expect(absent.errors.contains("→ \(step)\n"), "\(absent)")
            #expect(try await box.tryAsUser("tokenctl", "doctor").output.contains("→ \(step)"))
            try await box.asUser("sh", "-c", step)
            _ = try await box.asUser("tokenctl", "token", "work")
        }

        private func stopAndActivate(_ box: SystemdBox) async throws {
            try await box.asUser("systemctl", "--user", "stop", "tokend.service")
            #expect(try await state(box, "ActiveState") == "inactive")
            #expect(try await state(box, "Result") == "success")
            _ = try await box.asUser("tokenctl", "token", "work")
            #expect(try await state(box, "ActiveState") == "active")
            try await box.asUser("tokenctl", "logout", "work")
        }

        /// The journal has fields to search by, and no secret in any of them.
        private func journal(_ box: SystemdBox) async throws {
            let lines = try await box.asRoot(
                "journalctl",
                "--no-pager",
                "--all",
                "--output=json",
                "_SYSTEMD_USER_UNIT=tokend.service"
            )
            #expect(lines.contains("\"TOKEND_ACCOUNT\":\"work\""))
            #expect(lines.contains("\"MESSAGE_ID\""))
            // Who had what, as the user sees it.
            let log = try await box.asUser("tokenctl", "log", "work", "--since", "1h")
            #expect(log.contains("ACCOUNT") && log.contains("/usr/bin/tokenctl"), "\(log)")
            let entries = try await box.asUser("tokenctl", "log", "--client", "tokenctl", "--json")
            #expect(entries.contains("\"event\":\"token_served\"") || entries.contains("\"event\": \"token_served\""))
            // Who was refused, and nothing of anybody else.
            let file = "~/.config/tokend/accounts/work.json5"
            try await box.asUser("sh", "-c", "sed -i 's/{ issuer/{ allow: [], issuer/' \(file); tokenctl reload")
            _ = try await box.tryAsUser("tokenctl", "token", "work")
            let refused = try await box.asUser("tokenctl", "log", "work", "--client", "/usr/bin/tokenctl")
            #expect(refused.contains("refused: token.get"), "\(refused)")
            let nobody = try await box.asUser("tokenctl", "log", "work", "--json", "--client", "/usr/bin/nobody")
            #expect(try JSONReader().read(nobody).object?["entries"] == [], "\(nobody)")
            for secret in ["at-", "rt-", "code-", "pw123"] { #expect(!lines.contains(secret), "\(secret)…") }
        }

        private func state(_ box: SystemdBox, _ property: String) async throws -> String {
            String(try await box.asUser("systemctl", "--user", "show", "-P", property, "tokend.service").dropLast())
        }
    }
}
