// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// What a machine does to its services, in a booted systemd: held tokens outlive it, and the provider hears nothing.
    @Suite struct HeldTokens {
        @Test
        func `a restart, a re-executed manager and an upgrade cost no request, and no client more than a reconnect`()
            async throws
        {
            try await boot { box in
                try await prepare(box)
                let held = try await box.asUser("tokenctl", "token", "work")
                let before = try await requests(box)
                try await box.asUser("systemd-run", "--user", "--unit=busy", "/usr/bin/python3", "-c", Self.busyClients)
                try await awaitBusy(box)
                try await box.asUser("systemctl", "--user", "restart", "tokend.service")
                try await awaitBusy(box)
                #expect(try await box.asUser("tokenctl", "token", "work") == held)
                try await box.asUser("systemctl", "--user", "daemon-reexec")
                try await awaitBusy(box)
                #expect(try await box.asUser("tokenctl", "token", "work") == held)
                let old = try await mainProcess(box)
                try await box.installPackage()
                #expect(try await mainProcess(box) != old)
                try await awaitBusy(box)
                #expect(try await box.asUser("tokenctl", "token", "work") == held)
                try await box.asUser(
                    "sh",
                    "-c",
                    "touch ~/stop; while systemctl --user -q is-active busy; do sleep 0.1; done"
                )
                let faults = try await box.asUser("sh", "-c", "cat ~/faults")
                #expect(faults.isEmpty, "\(faults)")
                #expect(try await requests(box) == before)
            }
        }

        @Test func `a reboot keeps the held token, and needs no provider`() async throws {
            var template = Array("/tmp/tokend-home.XXXXXX".utf8CString)
            try #require(mkdtemp(&template) != nil)
            let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: home) }
            chmod(home, 0o755)
            var held = ""
            try await boot(home: home) { box in
                try await prepare(box)
                held = try await box.asUser("tokenctl", "token", "work")
            }
            try await boot(home: home) { box in
                try await unlockKeyring(box)
                #expect(try await box.asUser("tokenctl", "token", "work") == held)
            }
            #expect(held.hasPrefix("at-"))
        }

        private func boot(home: String? = nil, _ body: (SystemdBox) async throws -> Void) async throws {
            let files = ["/usr/bin/demo-provider": try BuildProducts.program("demo-provider")]
            try await SystemdBox.withPackage(binding: files, home: home, body)
        }

        /// A daemon that is signed in.
        private func prepare(_ box: SystemdBox) async throws {
            try await unlockKeyring(box)
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
            try await box.asUser(
                "sh",
                "-c",
                """
                umask 077; mkdir -p ~/.config/tokend/accounts
                echo '{ issuer: "http://127.0.0.1:18080", client_id: "tokend", scopes: ["openid"] }' \
                    >~/.config/tokend/accounts/work.json5
                printf '#!/bin/sh\\nexec curl -sSL -o /dev/null "$1"\\n' >~/browser; chmod +x ~/browser
                BROWSER=$HOME/browser tokenctl login work
                """
            )
        }

        private func unlockKeyring(_ box: SystemdBox) async throws {
            let start = "printf pw123 | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1"
            try await box.asUser("sh", "-c", start)
            try await box.asUser("gdbus", "wait", "--session", "--timeout", "30", KeyringSession.busName)
        }

        /// Each of the busy clients has been served since now.
        private func awaitBusy(_ box: SystemdBox) async throws {
            try await box.asUser(
                "sh",
                "-c",
                "rm -f ~/served; for i in $(seq 300); do [ -e ~/served ] && exit; sleep 0.1; done; exit 1"
            )
        }

        /// What the provider was asked so far.
        private func requests(_ box: SystemdBox) async throws -> Int {
            let log = try await box.asRoot(
                "journalctl",
                "--no-pager",
                "-o",
                "cat",
                "_SYSTEMD_USER_UNIT=provider.service"
            )
            return log.split(separator: "\n").count
        }

        private func mainProcess(_ box: SystemdBox) async throws -> String {
            try await box.asUser("systemctl", "--user", "show", "-P", "MainPID", "tokend.service")
        }

        /// 64 clients that connect again whenever the daemon has gone. Whenever the file `served` is missing, it comes once
        /// each of them has been served.
        private static let busyClients = """
            import json, os, socket, threading, time
            home, path = os.path.expanduser("~/"), os.environ["XDG_RUNTIME_DIR"] + "/tokend/tokend.sock"
            faults, served, stopped = open(home + "faults", "w"), [0] * 64, False
            def serve(number, link):
                while not stopped:
                    link.write('{"id":1,"method":"token.get","params":{"account":"work"}}\\n')
                    link.flush()
                    line = link.readline()
                    if not line:
                        return
                    reply = json.loads(line)
                    if "result" in reply:
                        served[number] += 1
                    elif reply["error"]["data"]["kind"] != "cancelled":
                        print(reply["error"]["message"], file=faults, flush=True)
                    time.sleep(0.02)
            def run(number):
                while not stopped:
                    try:
                        with socket.socket(socket.AF_UNIX) as link:
                            link.connect(path)
                            serve(number, link.makefile("rw"))
                    except OSError:
                        time.sleep(0.02)
            threads = [threading.Thread(target=run, args=(number,)) for number in range(64)]
            for thread in threads:
                thread.start()
            while not os.path.exists(home + "stop"):
                if not os.path.exists(home + "served"):
                    before = list(served)
                    while any(map(int.__le__, served, before)):
                        time.sleep(0.02)
                    open(home + "served", "w").close()
                time.sleep(0.05)
            stopped = True
            """
    }
}
