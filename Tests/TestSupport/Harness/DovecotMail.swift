// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A running Dovecot: a real mail server that takes OAuth tokens alone, and asks the provider whose each is.
package final class DovecotMail: Sendable {
    /// Where it listens for IMAP over TLS, at 127.0.0.1.
    package let imaps: String
    /// Where it takes mail to send, with STARTTLS.
    package let submission: String
    /// Who signed its certificate.
    package let authority: TestAuthority
    private let process: ChildProcess

    private init(imaps: String, submission: String, authority: TestAuthority, process: ChildProcess) {
        self.imaps = imaps
        self.submission = submission
        self.authority = authority
        self.process = process
    }

    /// Starts it before that provider's userinfo endpoint; it answers when this returns. The mailbox of
    /// `alice@example.org` has one message, “the first”.
    package static func start(userinfo: String) async throws -> DovecotMail {
        try MissingPrerequisite.require(program: "/usr/sbin/dovecot")
        let authority = try await TestAuthority()
        let process = try ChildProcess(
            "/usr/bin/python3",
            [
                BuildProducts.source + "/scripts/lib/dovecot-mail", userinfo, authority.certificate(.good),
                authority.key(.good),
            ],
            environment: ["PATH": "/usr/sbin:/usr/bin:/bin"]
        )
        let (imaps, submission) = try await process.whileRunning {
            func port(_ name: String) async throws -> String {
                let line = try await process.line(within: .seconds(60)) { $0.hasPrefix(name + " ") }
                return "127.0.0.1:" + line.dropFirst(name.count + 1)
            }
            return (try await port("imaps"), try await port("submission"))
        }
        return DovecotMail(imaps: imaps, submission: submission, authority: authority, process: process)
    }

    /// Waits until a message with that subject was sent on; the result is `FROM TO SUBJECT`.
    package func sent(_ subject: String) async throws -> String {
        let line = try await process.line(within: .seconds(30)) { $0.hasPrefix("sent ") && $0.hasSuffix(" " + subject) }
        return String(line.dropFirst("sent ".count))
    }

    /// Waits until its log has a text.
    package func hasLogged(_ text: String) async throws { try await process.hasWritten(text) }

    /// What it has logged.
    package var log: String { process.errors }

    /// Ends it and waits for the end.
    package func stop() async { await process.stop() }
}
