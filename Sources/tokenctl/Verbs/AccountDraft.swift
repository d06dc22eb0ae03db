// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON
import TokendProtocol

/// An account as the command line describes it. Pure.
package struct AccountDraft: Sendable, Equatable {
    /// Where it signs in.
    package enum Place: Sendable, Equatable {
        /// The provider's issuer.
        case issuer(String)
        /// A preset, and what it asks.
        case provider(String, set: JSONObject)
    }

    /// Its name.
    package let account: String
    /// Where it signs in.
    package let place: Place
    /// The client id that the provider gave out; nil where the preset brings one, or the provider
    /// is to register it.
    package let clientID: String?
    /// What to ask for; empty leaves it to the daemon.
    package let scopes: [String]
    /// The redirect URI, where it is not the default one.
    package let redirectURI: String?
    /// How the client authenticates; nil for a public client.
    package let clientAuthentication: String?
    /// How it comes to its tokens; nil for a sign-in by browser.
    package let flow: String?
    /// The flags that name the files with its secret or key, and their values.
    package let secretFiles: [String]
    /// The client's secret, where a user typed one.
    package var clientSecret: Secret?

    /// Whether the command line means to make an account.
    package static func isDrafted(by invocation: Invocation) -> Bool {
        invocation.has(.issuer) || invocation.has(.clientID) || invocation[.register] || invocation.has(.provider)
            || invocation.has(.set)
    }

    /// Takes the flags; says which is missing.
    package init(_ invocation: Invocation) throws(TokenctlError) {
        try self.init(
            account: invocation.account,
            place: Self.place(invocation),
            clientID: invocation[.clientID],
            scopes: invocation.scopes,
            invocation: invocation
        )
    }

    /// As above, with what the user answered instead of the flags.
    package init(
        account: String?,
        place: Place?,
        clientID: String?,
        scopes: [String],
        invocation: Invocation
    ) throws(TokenctlError) {
        let verb = invocation.verb.name
        let help = ["tokenctl \(verb) --help"]
        guard let account else { throw .usage("\(verb) needs a name for the account", next: help) }
        guard AccountName.isValid(account) else {
            throw .usage(
                "“\(TerminalText.sanitized(account))” is no name for an account: letters, digits and . _ @ -, at most 64"
            )
        }
        guard let place else {
            throw .usage("\(verb) needs --issuer URL or --provider NAME to make the account", next: help)
        }
        if case .issuer = place, clientID == nil, !invocation[.register] {
            throw .usage(
                "\(verb) needs --client-id ID to make the account, or --register to have the provider make a client",
                next: help
            )
        }
        self.account = account
        self.place = place
        self.clientID = clientID
        self.scopes = scopes
        redirectURI = invocation[.redirectURI]
        flow = invocation[.device] ? LoginFlow.device.rawValue : invocation[.flow]
        secretFiles = [Flag.clientSecretFile, .clientKeyFile].flatMap { flag in
            invocation[flag].map { [flag.name, $0] } ?? []
        }
        clientAuthentication = try Self.authentication(invocation, at: place)
    }

    /// The method that goes with what is given, unless one is named, or a preset knows which way a secret goes.
    private static func authentication(_ invocation: Invocation, at place: Place) throws(TokenctlError) -> String? {
        let hasSecret = invocation.has(.clientSecretFile)
        guard !hasSecret || !invocation.has(.clientKeyFile) else {
            throw .usage("a client authenticates in one way: --client-secret-file or --client-key-file")
        }
        if let method = invocation[.clientAuthentication] { return method }
        if invocation.has(.clientKeyFile) { return "private_key_jwt" }
        guard case .issuer = place else { return nil }
        return hasSecret ? "client_secret_basic" : nil
    }

    /// Where the flags say that it signs in; nil where they do not.
    package static func place(_ invocation: Invocation) throws(TokenctlError) -> Place? {
        let set = try invocation[.set] ?? [:]
        switch (invocation[.provider], invocation[.issuer]) {
        case (.some, .some):
            throw .usage("an account has a preset or an issuer: --provider or --issuer")
        case (let provider?, nil):
            return .provider(provider, set: set)
        case (nil, let issuer):
            guard set.isEmpty else { throw .usage("--set answers what a preset asks: name it with --provider") }
            return issuer.map { .issuer(PastedIssuer.issuer($0)) }
        }
    }

    /// The members of an account's file that a draft can say.
    static let members = Set(AccountSetting.allCases.map(\.rawValue))

    /// The account's file, as `account.add` takes it.
    package var config: JSONObject {
        var config: JSONObject = [:]
        switch place {
        case .issuer(let issuer): config[.issuer] = .string(issuer)
        case .provider(let provider, let set):
            config[.provider] = .string(provider)
            if !set.isEmpty { config[.set] = .object(set) }
        }
        config[.clientID] = clientID.map { .string($0) }
        if !scopes.isEmpty { config[.scopes] = .array(scopes.map { .string($0) }) }
        config[.redirectURI] = redirectURI.map { .string($0) }
        config[.clientAuthentication] = clientAuthentication.map { .string($0) }
        config[.flow] = flow.map { .string($0) }
        return config
    }

    /// Whether the existing settings match every setting given on the command line.
    package func matches(_ config: JSONObject) -> Bool {
        self.config.allSatisfy { config[$0.name] == $0.value }
    }

    /// The command that makes an account of that name anew, for a shell.
    package var replacement: String {
        var words: [String]
        switch place {
        case .issuer(let issuer): words = [Flag.issuer.name, issuer] + (clientID == nil ? [Flag.register.name] : [])
        case .provider(let provider, let set):
            words = [Flag.provider.name, provider]
            words += set.flatMap { [Flag.set.name, "\($0.name)=\($0.value.string ?? "")"] }
        }
        if let clientID { words += [Flag.clientID.name, clientID] }
        if !scopes.isEmpty { words += [Flag.scope.name, scopes.joined(separator: " ")] }
        if let redirectURI { words += [Flag.redirectURI.name, redirectURI] }
        if let flow { words += [Flag.flow.name, flow] }
        if let clientAuthentication { words += [Flag.clientAuthentication.name, clientAuthentication] }
        words += secretFiles
        let shown = words.map { ShellWord.quoted(TerminalText.sanitized($0)) }
        return (["tokenctl account add", account] + shown + [Flag.replace.name]).joined(separator: " ")
    }
}

/// A member of an account's file that tokenctl itself writes or looks at.
enum AccountSetting: String, CaseIterable {
    case issuer, provider, set
    case clientID = "client_id"
    case scopes
    case redirectURI = "redirect_uri"
    case clientAuthentication = "client_authentication"
    case flow
}

extension JSONObject {
    /// A member of an account's file.
    subscript(setting: AccountSetting) -> JSONValue? {
        get { self[setting.rawValue] }
        set { self[setting.rawValue] = newValue }
    }
}
