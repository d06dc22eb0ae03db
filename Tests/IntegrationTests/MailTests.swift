// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import TestSupport
import Testing

extension Programs {
    /// Mail programs of Debian, as `tokenctl setup` has them, before a real server that takes tokens alone.
    @Suite struct Mail {
        @Test func `msmtp sends with a token, by OAUTHBEARER and by XOAUTH2`() async throws {
            try await Self.with { stand, mail, run in
                let file = stand.session.folder + "/.msmtprc"
                let own = "defaults\ntls_trust_file \(mail.authority.certificate)\n"
                try Data(own.utf8).write(to: URL(filePath: file))
                let setup = try await run.tokenctl.run("setup", "msmtp", "work", "--host", mail.submission)
                #expect(setup.exitCode == 0, "\(setup)")
                for mechanism in ["oauthbearer", "xoauth2"] {
                    let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
                    try Data(text.replacing("auth oauthbearer", with: "auth \(mechanism)").utf8)
                        .write(to: URL(filePath: file))
                    let message = "To: bob@example.org\nSubject: by-\(mechanism)\n\nHello.\n"
                    let sent = try await run.program("msmtp", ["-a", "work", "bob@example.org"], input: message)
                    #expect(sent.status == .code(0), "\(sent)\n\(mail.log)")
                    let line = try await mail.sent("by-\(mechanism)")
                    #expect(line == "alice@example.org bob@example.org by-\(mechanism)")
                    try await mail.hasLogged("method=\(mechanism.uppercased())")
                }
                let undo = try await run.tokenctl.run("setup", "msmtp", "--undo")
                #expect(undo.exitCode == 0)
                #expect(try String(contentsOf: URL(filePath: file), encoding: .utf8) == own)
            }
        }

        @Test func `neomutt reads and sends with tokens`() async throws {
            try await Self.with { stand, mail, run in
                let file = stand.session.folder + "/.neomuttrc"
                let own = "set certificate_file = \(mail.authority.certificate)\n"
                try Data(own.utf8).write(to: URL(filePath: file))
                let setup = try await run.tokenctl.run(
                    "setup",
                    "neomutt",
                    "work",
                    "--host",
                    mail.imaps,
                    "--smtp-host",
                    mail.submission
                )
                #expect(setup.exitCode == 0, "\(setup)")
                let copy = stand.session.folder + "/copy"
                let keys = "set confirmappend=no confirmcreate=no; push <copy-message>\(copy)<enter><quit>"
                let read = try await run.program(
                    "script",
                    ["-qec", "neomutt -n -e '\(keys)'", "/dev/null"],
                    input: ""
                )
                let message = try? String(contentsOf: URL(filePath: copy), encoding: .utf8)
                #expect(message?.contains("Hello, Alice.") == true, "\(read)\n\(mail.log)")
                let sent = try await run.program(
                    "neomutt",
                    ["-n", "-e", "set copy=no", "-s", "by-neomutt", "bob@example.org"],
                    input: "Hello.\n"
                )
                #expect(sent.status == .code(0), "\(sent)\n\(mail.log)")
                let line = try await mail.sent("by-neomutt")
                #expect(line == "alice@example.org bob@example.org by-neomutt")
            }
        }

        @Test func `mbsync fetches a mailbox with a token, by Debian's XOAUTH2 plugin`() async throws {
            try await Self.with { stand, mail, run in
                let setup = try await run.tokenctl.run(
                    "setup",
                    "mbsync",
                    "work",
                    "--host",
                    mail.imaps.replacing("127.0.0.1", with: "localhost")
                )
                #expect(setup.exitCode == 0, "\(setup)")
                let file = stand.session.folder + "/.mbsyncrc"
                let stores = """

                    IMAPStore far
                    Account work

                    MaildirStore near
                    Path \(stand.session.folder)/mail/
                    Inbox \(stand.session.folder)/mail/inbox

                    Channel work
                    Far :far:
                    Near :near:
                    Patterns INBOX
                    Create Near

                    """
                let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
                try Data((text + stores).utf8).write(to: URL(filePath: file))
                try FileManager.default.createDirectory(
                    atPath: stand.session.folder + "/mail",
                    withIntermediateDirectories: true
                )
                let trust = ["SSL_CERT_FILE": mail.authority.certificate]
                let fetched = try await run.program("mbsync", ["--quiet", "work"], input: "", adding: trust)
                #expect(fetched.status == .code(0), "\(fetched)\n\(mail.log)")
                let found = try await run.program(
                    "grep",
                    ["-rl", "Hello, Alice.", stand.session.folder + "/mail/inbox"],
                    input: ""
                )
                #expect(found.output.split(separator: "\n").count == 1, "\(found)")
                try await mail.hasLogged("method=XOAUTH2")
            }
        }

        @Test(arguments: ["xoauth2", "oauthbearer"]) func `the strings of token --format open a mailbox`(
            _ form: String
        ) async throws {
            try await Self.with { _, mail, run in
                let client = """
                    import base64, imaplib, ssl, subprocess, sys
                    host, port = sys.argv[1].split(":")
                    tls = ssl.create_default_context(cafile=sys.argv[2])
                    box = imaplib.IMAP4_SSL(host, int(port), ssl_context=tls)
                    words = ["tokenctl", "token", "work", "--format", sys.argv[3]]
                    box.authenticate(sys.argv[3].upper(), lambda _: base64.b64decode(subprocess.check_output(words)))
                    print(box.select()[1][0].decode(), "message")
                    """
                let read = try await run.program(
                    "python3",
                    ["-c", client, mail.imaps, mail.authority.certificate, form],
                    input: ""
                )
                #expect(read.output == "1 message\n", "\(read)\n\(mail.log)")
            }
        }

        @Test func `a server that gets somebody else's token lets nobody in`() async throws {
            try await Self.with { stand, mail, run in
                let refused = try await run.program(
                    "python3",
                    [
                        "-c",
                        """
                        import imaplib, ssl, sys
                        host, port = sys.argv[1].split(":")
                        tls = ssl.create_default_context(cafile=sys.argv[2])
                        box = imaplib.IMAP4_SSL(host, int(port), ssl_context=tls)
                        line = b"user=alice@example.org\\x01auth=Bearer of-nobody\\x01\\x01"
                        try: box.authenticate("XOAUTH2", lambda _: line)
                        except imaplib.IMAP4.error: print("refused")
                        """,
                        mail.imaps, mail.authority.certificate,
                    ],
                    input: ""
                )
                #expect(refused.output == "refused\n", "\(refused)\n\(mail.log)")
            }
        }

        /// Runs programs with the session's folder for a home.
        private struct Runs {
            let stand: Stand
            let environment: [String: String]

            var tokenctl: Tokenctl { Tokenctl(stand.world, adding: environment) }

            func program(
                _ name: String,
                _ arguments: [String],
                input: String,
                adding variables: [String: String] = [:]
            ) async throws -> ChildProcess.Finished {
                try await ChildProcess.run(
                    name,
                    arguments,
                    environment: environment.merging(variables) { $1 },
                    input: .text(input),
                    within: .seconds(60)
                )
            }
        }

        private static func with(_ body: (Stand, DovecotMail, Runs) async throws -> Void) async throws {
            try await Stand.with { stand in
                try await stand.signIn()
                let mail = try await DovecotMail.start(userinfo: stand.provider.origin + "/userinfo")
                var environment = stand.world.environment
                environment["HOME"] = stand.session.folder
                environment["TERM"] = "xterm"
                environment["PATH"] = BuildProducts.searchPath + ":" + (environment["PATH"] ?? "")
                do {
                    try await body(stand, mail, Runs(stand: stand, environment: environment))
                } catch {
                    Issue.record("\(error)\n\(mail.log)")
                }
                await mail.stop()
            }
        }
    }
}
