// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import TokendProtocol

// Programs that send or fetch mail; the token command runs at each connection.
extension BlockTool {
    /// For `setup msmtp`.
    package static let msmtp = BlockTool(
        name: "msmtp",
        kind: .mail,
        file: { $0.first([$0.home + "/.msmtprc"], else: $0.settings + "/msmtp/config") },
        asks: SetupQuestion.mail { $0.smtp },
        recipe: { values in
            let (name, port) = values.server
            let head = "account \(values.account)"
            let lines = [
                head, "host \(name)", "port \(port ?? "587")", "tls on", "tls_starttls on",
                "auth \(values.mechanisms.first ?? "oauthbearer")",
                "from \(values.user)", "user \(values.user)", "passwordeval \"\(values.tokenCommand)\"",
            ]
            return Recipe(lines: lines, head: head)
        }
    )

    /// For `setup neomutt`.
    package static let neomutt = BlockTool(
        name: "neomutt",
        kind: .mail,
        file: { places in
            let own = places.settings + "/neomutt/neomuttrc"
            let mutt = [places.home + "/.neomuttrc", places.settings + "/mutt/muttrc", places.home + "/.muttrc"]
            return places.first([own] + mutt, else: own)
        },
        asks: SetupQuestion.mail { $0.imap },
        recipe: { values in
            let incoming = [
                "set imap_user = \"\(values.user)\"", "set imap_authenticators = \"\(values.mechanismList)\"",
                "set imap_oauth_refresh_command = \"\(values.tokenCommand)\"",
                "set folder = \"imaps://\(values.host)/\"", "set spool_file = \"+INBOX\"",
            ]
            guard let smtp = values.smtpHost else { return Recipe(lines: incoming) }
            let (host, port) = SetupValues.parts(smtp)
            let name = values.user.replacing(text: "@", with: "%40")
            let outgoing = [
                "set smtp_url = \"smtp://\(name)@\(host):\(port ?? "587")/\"",
                "set smtp_authenticators = \"\(values.mechanismList)\"",
                "set smtp_oauth_refresh_command = \"\(values.tokenCommand)\"", "set from = \"\(values.user)\"",
            ]
            return Recipe(lines: incoming + outgoing)
        }
    )

    /// For `setup mbsync`.
    package static let mbsync = BlockTool(
        name: "mbsync",
        kind: .mail,
        file: { $0.first([$0.settings + "/isyncrc"], else: $0.home + "/.mbsyncrc") },
        asks: SetupQuestion.mail { $0.imap },
        recipe: { values in
            let (name, port) = values.server
            let head = "IMAPAccount \(values.account)"
            let lines = [
                head, "Host \(name)", "Port \(port ?? "993")", "User \(values.user)", "SSLType IMAPS",
                "AuthMechs XOAUTH2", "PassCmd \"\(values.tokenCommand)\"",
            ]
            return Recipe(lines: lines, head: head)
        },
        after: SetupAdvice(
            "mbsync needs a SASL plugin with XOAUTH2 for it; on Debian:",
            ["apt install libsasl2-modules-kdexoauth2"]
        )
    )
}

extension SetupQuestion {
    /// What a mailbox's settings need. `server`: which of the provider's servers the tool talks to.
    fileprivate static func mail(
        _ server: @escaping @Sendable (PresetDescription.Tool) -> String?
    ) -> [SetupQuestion] {
        [
            SetupQuestion(.host, such: "mail.example.com", known: { $0.tool.flatMap(server) }) {
                values,
                text throws(TokenctlError) in values.host = text
            },
            SetupQuestion(.user, such: "anna@example.com", known: { $0.status.identity }) {
                values,
                text throws(TokenctlError) in values.user = text
            },
            SetupQuestion(.smtpHost, such: "smtp.example.com", isOptional: true, known: { $0.tool?.smtp }) {
                values,
                text throws(TokenctlError) in values.smtpHost = text
            },
        ]
    }
}

extension SetupValues {
    /// The command that prints the account's token.
    fileprivate var tokenCommand: String {
        "\(program) token \(account)" + (tokenScope.map { " \(Flag.scope.name) \($0)" } ?? "")
    }

    /// The mechanisms as neomutt has them.
    fileprivate var mechanismList: String {
        (mechanisms.isEmpty ? ["oauthbearer", "xoauth2"] : mechanisms).joined(separator: ":")
    }

    fileprivate var server: (host: String, port: String?) { Self.parts(host) }

    /// `HOST` or `HOST:PORT`, apart.
    fileprivate static func parts(_ server: String) -> (host: String, port: String?) {
        let parts = server.split(separator: ":", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
    }
}
