// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// The verbs that run other programs.
    @Suite struct CommandLinePrograms {
        @Test func `exec runs a program with a token, and ends as it does`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let tokenctl = Tokenctl(stand.world)
                let shown = try await tokenctl.run("exec", "work", "--env", "T", "--", "sh", "-c", "echo $T; exit 7")
                #expect(shown.exitCode == 7)
                #expect(stand.provider.accepts(accessToken: String(shown.output.dropLast())), "\(shown)")
                // The program replaces tokenctl: the whole process has the token nowhere but in its environment.
                let line = try await tokenctl.run("exec", "work", "--", "cat", "/proc/self/cmdline")
                #expect(line.output == "cat\0/proc/self/cmdline\0")
                // A pipe that breaks ends it, as it would without us.
                let broken = try await tokenctl.run("exec", "work", "--", "sh", "-c", "kill -PIPE $$; exit 3")
                #expect(broken.exitCode == 128 + 13)
            }
        }

        @Test func `tokenctl leaves no core, and the programs that it starts are as free to as they were`() async throws
        {
            try await Stand.with { stand in
                try await stand.signIn()
                var environment = stand.world.environment
                environment["PATH"] = BuildProducts.folder + ":" + (environment["PATH"] ?? "")
                environment["URL"] = stand.provider.origin + "/userinfo"
                // This shell counts the limit in blocks of 1024 bytes, others in smaller ones.
                let script = """
                    ulimit -c 4096
                    tokenctl exec work -- bash -c 'ulimit -S -c; ulimit -H -c'
                    printf '#!/bin/bash\\nulimit -S -c > "$HOME/told"\\nexec /usr/bin/curl "$@"\\n' > "$HOME/curl"
                    chmod 700 "$HOME/curl"
                    PATH=$HOME:$PATH tokenctl call work "$URL" > /dev/null
                    cat "$HOME/told"
                    tokenctl status --watch > "$HOME/watched" &
                    until test -s "$HOME/watched"; do sleep 0.1; done
                    grep '^Max core file size' /proc/$!/limits
                    kill $!
                    """
                let finished = try await ChildProcess.run("bash", ["-euc", script], environment: environment)
                #expect(finished.status == .code(0), "\(finished)")
                let lines = finished.output.split(separator: "\n").map(String.init)
                #expect(lines.count == 4 && lines[0...2] == ["4096", "4096", "4096"], "\(finished)")
                #expect(lines.last?.split(separator: " ").dropFirst(4).first == "1", "\(finished)")
            }
        }

        @Test func `what is no UTF-8 goes to another program byte for byte`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                var environment = stand.world.environment
                environment["PATH"] = BuildProducts.searchPath + ":" + (environment["PATH"] ?? "")
                environment["URL"] = stand.provider.origin + "/userinfo"
                environment["FOLDER"] = stand.session.folder
                let script = """
                    export ODD=$'v\\xe9'
                    printf '#!/bin/sh\\nprintf "%%s" "$1$ODD"\\n' > "$FOLDER"/$'p\\xe9'
                    chmod 700 "$FOLDER"/$'p\\xe9'
                    tokenctl exec work -- "$FOLDER"/$'p\\xe9' $'a\\xe9' | od -An -tx1
                    cd "$FOLDER"
                    PATH=$FOLDER:$PATH tokenctl exec work -- $'p\\xe9' b | od -An -tx1
                    tokenctl call work "$URL" -- --output $'o\\xe9'
                    test -s $'o\\xe9'
                    """
                let finished = try await ChildProcess.run("bash", ["-euc", script], environment: environment)
                #expect(finished.status == .code(0) && finished.errors.isEmpty, "\(finished)")
                #expect(finished.output == " 61 e9 76 e9\n 62 76 e9\n")
            }
        }

        @Test func `a browser that the daemon starts gets its variables byte for byte`() async throws {
            let odd = ["bash", "-c", "export ODD=$'v\\xe9'; exec \"$@\"", "bash"]
            try await Stand.with(by: odd) { stand in
                let browser = stand.session.folder + "/browser", told = browser + ".told"
                let text = "#!/bin/sh\nprintf %s \"$ODD\" > \(told)\n"
                try Data(text.utf8).write(to: URL(filePath: browser))
                #expect(chmod(browser, 0o700) == 0 && mkfifo(told, 0o600) == 0)
                try stand.world.writeConfiguration("{ browser: [\"\(browser)\"] }")
                _ = try await stand.client.result("config.reload")
                let params: JSONObject = ["account": "work", "open_browser": true]
                _ = try await stand.client.result("login.start", params)
                let words = ["-An", "-tx1", told]
                let finished = try await ChildProcess.run("od", words, environment: stand.world.environment)
                #expect(finished.output == " 76 e9\n", "\(finished)")
            }
        }

        @Test func `call asks an API with the token, by the curl that is installed`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let tokenctl = Tokenctl(stand.world)
                let url = stand.provider.origin + "/userinfo"
                let answer = try await tokenctl.run("call", "work", url)
                #expect(answer.exitCode == 0, "\(answer)")
                #expect(try JSONReader().read(answer.output).object?["email"] == "alice@example.org")
                #expect(answer.talk.isEmpty)
                stand.provider.script(.userinfo, .answer(.text("no", status: 401)))
                let again = try await tokenctl.run("call", "work", "GET", url, "--", "--include")
                #expect(again.exitCode == 0, "\(again)")
                #expect(again.output.hasPrefix("HTTP/1.1 200"))
                #expect(stand.provider.count(grantType: "refresh_token") == 1)
            }
        }

        @Test func `call says which scope the API wants`() async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                var refusal = WireResponse.text("no", status: 403)
                refusal.setHeader("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"")
                stand.provider.scriptAlways(.userinfo, .answer(refusal))
                let run = try await Tokenctl(stand.world).run("call", "work", stand.provider.origin + "/userinfo")
                #expect(run.exitCode == 22)
                #expect(run.output == "no")
                #expect(run.talk.contains("tokenctl login work --scope 'write'"))
            }
        }
    }
}
