// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import StrictJSON
import TestSupport
import Testing

extension Programs {
    /// Who is asking, with every trick that a program of the same user can play on it.
    @Suite struct Peers {
        private static let plain = "s = connect(); ask(s); print(hear(s))"

        @Test func `a program that is named gets the token, and another one does not`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                #expect(try await programs.run(programs.good, Self.plain) == "token")
                #expect(try await programs.run(programs.bad, Self.plain) == "not_allowed")
                let refusal = try await stand.refusal("token.get", ["account": "work"])
                #expect(refusal.kind == "not_allowed" && refusal.message.contains("to `allow` in "))
                try await stand.daemon.hasLogged("token.get refused to exe:\(programs.bad)")
            }
        }

        @Test func `a program whose path looks like another's is not asked about under that name`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                // The folder's name has a character without width in it: on a screen it is the honest program's.
                let folder = programs.folder.replacing("/programs", with: "/pro\u{200B}grams")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: programs.good, toPath: folder + "/good")
                let shown = "exe:" + folder.replacing("\u{200B}", with: "\\u{200b}") + "/good"
                #expect(try await programs.run(folder + "/good", Self.plain) == "token")
                try await stand.daemon.hasLogged("token served to \(shown.dropFirst(4)) [")
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                _ = try await stand.client.result("events.subscribe", ["confirms": true])
                #expect(try await programs.run(folder + "/good", Self.plain) == "not_allowed")
                try await stand.daemon.hasLogged("token.get refused to \(shown) [")
                #expect(!stand.daemon.log.contains("you are asked whether"))
            }
        }

        @Test func `a program is asked about by its whole name, or not at all`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                // Two names that are the same for as long as a screen goes.
                let folder = programs.folder + "/" + String(repeating: "a", count: 250)
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let program = folder + "/" + String(repeating: "b", count: 60)
                try FileManager.default.copyItem(atPath: programs.good, toPath: program)
                try stand.world.writeAccount("work", issuer: stand.provider.issuer, more: "confirm: \"first\"")
                _ = try await stand.client.result("config.reload")
                _ = try await stand.client.result("events.subscribe", ["confirms": true])
                #expect(try await programs.run(program, Self.plain) == "not_allowed")
                try await stand.daemon.hasLogged("token.get refused to exe:\(program) [")
                #expect(!stand.daemon.log.contains("you are asked whether"))
            }
        }

        @Test func `tokenctl has a token for the program that is named, and not for another one that calls it`()
            async throws
        {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { "via:exe:\($0)" }
                let tokenctl = try BuildProducts.program("tokenctl")
                let calling = """
                    import subprocess
                    command = "'" + sys.argv[2] + "' token work >/dev/null && echo token; :"
                    print(os.getpid(), subprocess.run(["sh", "-c", command], env={**os.environ, "TOKEND_SOCKET": sys.argv[1]},
                        stdout=subprocess.PIPE).stdout.decode().strip())
                    """
                let served = try await programs.run(programs.good, calling, [tokenctl]).split(separator: " ")
                #expect(served.last == "token")
                try await stand.daemon.hasLogged("token served to \(programs.good) [\(served[0])] with tokenctl")
                let refused = try await programs.run(programs.bad, calling, [tokenctl]).split(separator: " ")
                #expect(refused.count == 1)
                try await stand.daemon.hasLogged("token.get refused to via:exe:\(programs.bad) [\(refused[0])]")
                // By itself it is no tokenctl.
                #expect(try await programs.run(programs.good, Self.plain) == "not_allowed")
            }
        }

        @Test func `a connection that is passed on, or inherited, is nobody's`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                let passed = try await programs.run(
                    programs.good,
                    """
                    s = connect()
                    ask(s)
                    first = hear(s)
                    s.set_inheritable(True)
                    os.environ["FD"] = str(s.fileno())
                    if os.fork() == 0:
                        code = "import os, socket; s = socket.socket(fileno=int(os.environ['FD'])); "
                        code += "s.sendall(b'{\\"method\\":\\"token.get\\",\\"params\\":{\\"account\\":\\"work\\"}}\\\\n')"
                        os.execv(sys.argv[2], [sys.argv[2], "-c", code])
                    os.wait()
                    print(first, hear(s))
                    """,
                    [programs.bad]
                )
                #expect(passed == "token not_allowed")
                let sent = try await programs.run(
                    programs.good,
                    """
                    ours, theirs = socket.socketpair()
                    if os.fork() == 0:
                        _, control, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(4))
                        s = socket.socket(fileno=array.array("i", control[0][2])[0])
                        ask(s)
                        os._exit(0)
                    s = connect()
                    theirs.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
                    os.wait()
                    answer = hear(s)
                    ask(s)
                    print(answer, hear(s))
                    """
                )
                // Once it was shared, it stays so.
                #expect(sent == "not_allowed not_allowed")
            }
        }

        @Test func `a program that connects and then becomes the named one is nobody`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                let answer = try await programs.run(
                    programs.bad,
                    """
                    s = connect()
                    s.set_inheritable(True)
                    ask(s, "hello")
                    hear(s)
                    code = sys.argv[3] + "s = socket.socket(fileno=int(sys.argv[2])); ask(s); print(hear(s))"
                    os.execv(sys.argv[2], [sys.argv[2], "-c", code, sys.argv[1], str(s.fileno())])
                    """,
                    [programs.good, PeerStand.asking]
                )
                #expect(answer == "not_allowed")
            }
        }

        @Test func `a file that is bound over the named one in another namespace is not it`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                let bound = ["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c"]
                let shell = "mount --bind \"$1\" \"$2\" && shift && exec \"$@\""
                let answer = try await programs.run(
                    programs.good,
                    "print(os.readlink('/proc/self/exe'), end=' '); " + Self.plain,
                    under: bound + [shell, "sh", programs.bad]
                )
                #expect(answer == "\(programs.good) not_allowed")
            }
        }

        @Test func `a process that got the number of one that connected is not it`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                let answer = try await programs.run(
                    programs.bad,
                    """
                    ours, theirs = socket.socketpair()
                    first = os.fork()
                    if first == 0:
                        s = connect()
                        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
                        os._exit(0)
                    _, control, _, _ = theirs.recvmsg(1, socket.CMSG_SPACE(4))
                    s = socket.socket(fileno=array.array("i", control[0][2])[0])
                    s.set_inheritable(True)
                    os.waitpid(first, 0)
                    code = sys.argv[3] + "s = socket.socket(fileno=int(sys.argv[2])); ask(s); print(hear(s), flush=True)"
                    for attempt in range(200):
                        with open("/proc/sys/kernel/ns_last_pid", "w") as last: last.write(str(first - 1))
                        heir = os.fork()
                        if heir == 0:
                            if os.getpid() != first: os._exit(1)
                            os.execv(sys.argv[2], [sys.argv[2], "-c", code, sys.argv[1], str(s.fileno())])
                        os.waitpid(heir, 0)
                        if heir == first: break
                    else: print("no process got the number")
                    """,
                    [programs.good, PeerStand.asking]
                )
                #expect(answer == "not_allowed")
            }
        }

        @Test func `9700-5: a program that is held to a scope gets that token, and no wider one`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                try stand.world.writeAccount(
                    "work",
                    issuer: stand.provider.issuer,
                    more: "allow: [\"*\", { client: \"exe:\(programs.good)\", scope: \"email\" }]"
                )
                _ = try await stand.client.result("config.reload")
                let scopes = """
                    s = connect()
                    lines = s.makefile()
                    for more in [{}, {"scope": "openid email"}, {"id_token": True}, {"narrow": False}]:
                        s.sendall(json.dumps({"method": "token.get", "params": {"account": "work", **more}}).encode() + b"\\n")
                        reply = json.loads(lines.readline())
                        print(reply["result"]["scope"] if "result" in reply else reply["error"]["data"]["kind"], end="; ")
                    """
                #expect(try await programs.run(programs.good, scopes) == "email; not_allowed; not_allowed; email; ")
                let wide = try await programs.run(programs.bad, scopes)
                #expect(wide.hasPrefix("openid email offline_access; "), "\(wide)")
            }
        }

        @Test func `a program in a Flatpak is that Flatpak, whatever file it runs`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand)
                let flatpak = try programs.flatpak("org.example.Mail")
                #expect(try await programs.run(programs.good, Self.plain, under: flatpak) == "not_allowed")
                try stand.world.writeAccount(
                    "work",
                    issuer: stand.provider.issuer,
                    more: "allow: [\"flatpak:org.example.Mail\"]"
                )
                _ = try await stand.client.result("config.reload")
                #expect(try await programs.run(programs.bad, Self.plain, under: flatpak) == "token")
                let other = try programs.flatpak("org.example.Other")
                #expect(try await programs.run(programs.bad, Self.plain, under: other) == "not_allowed")
                let nameless = try programs.flatpak("")
                #expect(try await programs.run(programs.bad, Self.plain, under: nameless) == "not_allowed")
            }
        }

        @Test func `a program in a Flatpak that hides behind a root of its own is nobody`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let flatpak = try programs.flatpak("org.example.Mail")
                let inner = flatpak.filter { $0 != "/.flatpak-info" && $0 != programs.folder + "/info" }
                let hiding =
                    flatpak
                    + inner.enumerated().filter { index, word in
                        word != "--ro-bind" || inner[index + 1] == "/usr"
                    }.map(\.element)
                let methods = ["account.show", "logout"]
                let both = "for method in sys.argv[2:]:\n    s = connect(); ask(s, method); print(hear(s), end=' ')"
                let refused = try await programs.run(programs.good, both, under: hiding, methods)
                #expect(refused == "not_allowed not_allowed ")
                // So is one in a container that says nothing of itself.
                let contained = try await programs.run(
                    programs.good,
                    both,
                    under: Array(hiding.dropFirst(flatpak.count)),
                    methods
                )
                #expect(contained == "not_allowed not_allowed ")
                try stand.world.writeAccount(
                    "work",
                    issuer: stand.provider.issuer,
                    more: "allow: [\"exe:\(programs.good)\"]"
                )
                _ = try await stand.client.result("config.reload")
                #expect(try await programs.run(programs.good, Self.plain) == "token")
                #expect(try await programs.run(programs.good, Self.plain, under: hiding) == "not_allowed")
            }
        }

        @Test func `a Flatpak changes nothing unless it is named`() async throws {
            try await Stand.with { stand in
                let programs = try await PeerStand(stand) { _ in "*" }
                let flatpak = try programs.flatpak("org.example.Mail")
                let all = """
                    for method in sys.argv[2:]:
                        s = connect()
                        ask(s, method)
                        print(method, hear(s), end=" ")
                    """
                let methods = ["login.start", "logout", "account.show", "account.remove", "account.refresh"]
                let refused = try await programs.run(programs.bad, all, under: flatpak, methods)
                #expect(refused == methods.map { "\($0) not_allowed " }.joined())
                #expect(try await programs.run(programs.bad, Self.plain, under: flatpak) == "token")
                let whole =
                    "for method in ['config.reload', 'account.list', 'doctor', 'store.unlock']:\n"
                    + "    s = connect(); s.sendall(b'{\"method\":\"' + method.encode() + b'\"}\\n'); print(hear(s), end=' ')"
                let kinds = try await programs.run(programs.bad, whole, under: flatpak)
                #expect(kinds == String(repeating: "not_allowed ", count: 4))
                try stand.world.writeAccount(
                    "work",
                    issuer: stand.provider.issuer,
                    more: "administration: [\"*\", \"flatpak:org.example.Mail\"]"
                )
                _ = try await stand.client.result("config.reload")
                #expect(
                    try await programs.run(programs.bad, all, under: flatpak, ["account.show"]) == "account.show token "
                )
            }
        }
    }
}
