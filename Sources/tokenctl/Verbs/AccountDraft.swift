// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// An account as the command line describes it. Pure.
package struct AccountDraft: Sendable, Equatable {
    /// Its name.
    package let account: String
    /// The provider's issuer.
    package let issuer: String
    /// The client id that the provider gave out.
    package let clientID: String?
    /// What to ask for; empty leaves it to the daemon.
    package let scopes: [String]
    /// The redirect URI, where it is not the default one.
    package let redirectURI: String?
    /// How the client shows itself; nil for a public client.
    package let clientAuthentication: String?
    /// How it comes to its tokens; nil for a sign-in by browser.
    package let flow: String?

    /// Whether the command line means to make an account.
    package static func isDrafted(by invocation: Invocation) -> Bool {
        ["--issuer", "--client-id", "--register"].contains(where: invocation.has)
    }

    /// Takes the flags; says which is missing.
    package init(_ invocation: Invocation) throws(TokenctlError) {
        try self.init(
            account: invocation.account,
            issuer: invocation.value("--issuer"),
            clientID: invocation.value("--client-id"),
            scopes: invocation.scopes,
            invocation: invocation
        )
    }

    /// As above, with what the person answered instead of the flags.
    package init(
        account: String?,
        issuer: String?,
        clientID: String?,
        scopes: [String],
        invocation: Invocation
    ) throws(TokenctlError) {
        let verb = invocation.verb.rawValue
        let help = ["tokenctl \(verb) --help"]
        guard let account else { throw .usage("\(verb) needs a name for the account", next: help) }
        guard Self.isName(account) else {
            throw .usage(
                "“\(TerminalText.sanitized(account))” is no name for an account: letters, digits and . _ @ -, at most 64"
            )
        }
        guard let issuer else { throw .usage("\(verb) needs --issuer URL to make the account", next: help) }
        guard clientID != nil || invocation.has("--register") else {
            throw .usage(
                "\(verb) needs --client-id ID to make the account, or --register to have the provider make a client",
                next: help
            )
        }
        self.account = account
        self.issuer = issuer
        self.clientID = clientID
        self.scopes = scopes
        redirectURI = invocation.value("--redirect-uri")
        clientAuthentication = try Self.authentication(invocation)
        flow = invocation.value("--flow")
    }

    /// The method that goes with what is given, unless one is named.
    private static func authentication(_ invocation: Invocation) throws(TokenctlError) -> String? {
        let hasSecret = invocation.has("--client-secret-file")
        guard !hasSecret || !invocation.has("--client-key-file") else {
            throw .usage("a client shows itself in one way: --client-secret-file or --client-key-file")
        }
        if let method = invocation.value("--client-authentication") { return method }
        if invocation.has("--client-key-file") { return "private_key_jwt" }
        return hasSecret ? "client_secret_basic" : nil
    }

    /// The account's file, as `account.add` takes it.
    package var config: JSONObject {
        var config: JSONObject = ["issuer": .string(issuer)]
        config["client_id"] = clientID.map { .string($0) }
        if !scopes.isEmpty { config["scopes"] = .array(scopes.map { .string($0) }) }
        config["redirect_uri"] = redirectURI.map { .string($0) }
        config["client_authentication"] = clientAuthentication.map { .string($0) }
        config["flow"] = flow.map { .string($0) }
        return config
    }

    /// Whether an account's settings are these already; what the command line leaves open may be anything.
    package func matches(_ config: JSONObject) -> Bool {
        self.config.allSatisfy { config[$0.name] == $0.value }
    }

    /// The command that makes an account of that name anew, for a shell.
    package var replacement: String {
        var words = ["--issuer", issuer] + (clientID.map { ["--client-id", $0] } ?? ["--register"])
        if !scopes.isEmpty { words += ["--scope", scopes.joined(separator: " ")] }
        if let redirectURI { words += ["--redirect-uri", redirectURI] }
        if let flow { words += ["--flow", flow] }
        if let clientAuthentication { words += ["--client-authentication", clientAuthentication] }
        let shown = words.map { ShellWord.quoted(TerminalText.sanitized($0)) }
        return (["tokenctl account add", account] + shown + ["--replace"]).joined(separator: " ")
    }

    /// `[A-Za-z0-9][A-Za-z0-9._@-]{0,63}`.
    package static func isName(_ text: String) -> Bool {
        func isAlphanumeric(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber)
        }
        guard let first = text.first, isAlphanumeric(first), text.count <= 64 else { return false }
        return text.allSatisfy { isAlphanumeric($0) || "._@-".contains($0) }
    }
}
