// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What a tool's file is to say so that it asks `tokenctl` about one account. Pure.
package struct SetupRecipe: Sendable {
    /// What the lines are made of; all of it was looked at (`isPlain`).
    package struct Values: Sendable {
        /// The account's name.
        package var account: String
        /// How `tokenctl` is started.
        package var program: String
        /// The server; of git its origin.
        package var host = ""
        /// The server for outgoing mail.
        package var smtpHost: String?
        /// The mailbox's name.
        package var user = ""
        /// The role, as AWS names it.
        package var role = ""

        /// What every tool's lines have.
        package init(account: String, program: String) {
            self.account = account
            self.program = program
        }
    }

    /// The block's lines.
    package let lines: [String]
    /// A line that the file must not have elsewhere: it would mean the same thing twice.
    package let head: String?

    /// The lines of a tool that has a line format.
    package init(_ tool: SetupTool, _ values: Values) {
        let (name, port) = Self.parts(values.host)
        let token = "\(values.program) token \(values.account)"
        switch tool {
        case .docker, .kubectl: (lines, head) = ([], nil)
        case .git:
            head = "[credential \"\(values.host)\"]"
            lines = [
                "[credential \"\(values.host)\"]", "\thelper =",
                "\thelper = !\(values.program) credential git --account \(values.account)",
            ]
        case .aws:
            head = "[profile \(values.account)]"
            lines = [
                "[profile \(values.account)]",
                "credential_process = \(values.program) credential aws --account \(values.account) --role \(values.role)",
            ]
        case .msmtp:
            head = "account \(values.account)"
            lines = [
                "account \(values.account)", "host \(name)", "port \(port ?? "587")", "tls on", "tls_starttls on",
                "auth oauthbearer", "from \(values.user)", "user \(values.user)", "passwordeval \"\(token)\"",
            ]
        case .neomutt: (lines, head) = (Self.neomutt(values, token), nil)
        case .mbsync:
            head = "IMAPAccount \(values.account)"
            lines = [
                "IMAPAccount \(values.account)", "Host \(name)", "Port \(port ?? "993")", "User \(values.user)",
                "SSLType IMAPS", "AuthMechs XOAUTH2", "PassCmd \"\(token)\"",
            ]
        }
    }

    private static func neomutt(_ values: Values, _ token: String) -> [String] {
        let incoming = [
            "set imap_user = \"\(values.user)\"", "set imap_authenticators = \"oauthbearer:xoauth2\"",
            "set imap_oauth_refresh_command = \"\(token)\"", "set folder = \"imaps://\(values.host)/\"",
            "set spool_file = \"+INBOX\"",
        ]
        guard let smtp = values.smtpHost else { return incoming }
        let (host, port) = parts(smtp)
        let name = values.user.replacing("@", with: "%40")
        return incoming + [
            "set smtp_url = \"smtp://\(name)@\(host):\(port ?? "587")/\"",
            "set smtp_authenticators = \"oauthbearer:xoauth2\"",
            "set smtp_oauth_refresh_command = \"\(token)\"", "set from = \"\(values.user)\"",
        ]
    }

    /// `HOST` or `HOST:PORT`, apart.
    private static func parts(_ server: String) -> (host: String, port: String?) {
        let parts = server.split(separator: ":", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count == 2 ? parts[1] : nil)
    }

    /// Whether a value may stand in any of these files: letters, digits and what names, hosts and addresses are made of.
    package static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_.@+:/=,".utf8.contains(byte)
            }
    }
}
