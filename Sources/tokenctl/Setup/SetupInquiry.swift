// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

/// What a tool's lines are made of: the flags, and what the daemon knows of the account.
struct SetupInquiry {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func values(_ tool: SetupTool) throws(TokenctlError) -> SetupRecipe.Values {
        let account = try context.account()
        let status = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        let known = status["accounts"]?.array?.first?.object ?? [:]
        var values = SetupRecipe.Values(account: account, program: program)
        switch tool {
        case .git: values.host = try origin(known)
        case .aws: values.role = try needed(.role, nil, "arn:aws:iam::123456789012:role/work")
        case .docker, .kubectl: break
        case .msmtp, .neomutt, .mbsync:
            values.host = try needed(.host, nil, "mail.example.com")
            values.user = try needed(.user, known["identity"]?.string, "anna@example.com")
            if invocation[.smtpHost] != nil {
                values.smtpHost = try needed(.smtpHost, nil, "smtp.example.com")
            }
        }
        return values
    }

    /// Where git's server is: of `--host`, else the provider itself.
    private func origin(_ account: JSONObject) throws(TokenctlError) -> String {
        let text = try needed(.host, account["issuer"]?.string, "git.example.com")
        guard let host = CredentialHost(text.contains("://") ? text : "https://" + text) else {
            throw .usage("“\(TerminalText.sanitized(text, limit: 80))” is no https server, so no token goes there")
        }
        return host.origin
    }

    private func needed(_ flag: Flag<String>, _ known: String?, _ example: String) throws(TokenctlError) -> String {
        guard let value = invocation[flag] ?? known else {
            throw .usage("\(invocation.operands[0]) needs \(flag.name), such as \(flag.name) \(example)")
        }
        guard SetupRecipe.isPlain(value) else {
            let shown = TerminalText.sanitized(value, limit: 80)
            throw .usage("“\(shown)” cannot stand in that file; name it with \(flag.name), such as \(example)")
        }
        return value
    }

    /// By its path, since mail tools run where PATH is short; by its name where the path would need quotes.
    var program: String {
        let path = context.world.ownPath() ?? ""
        return path.hasPrefix("/") && SetupRecipe.isPlain(path) ? path : "tokenctl"
    }
}
