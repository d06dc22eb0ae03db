// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl token`: an access token on stdout, and nothing else.
    package static let token = Verb(
        "token",
        operands: [.account],
        flags: .of(
            .format,
            .minValid,
            .scope.help("it must cover this scope; may be repeated"),
            .narrow,
            .resource,
            .audience,
            .fresh,
            .login
        ),
        summary: "print an access token, and nothing else",
        details: ["Without ACCOUNT: the default account, or the only one."],
        examples: [
            "tokenctl token work",
            "tokenctl token work --format header | curl -H @- https://api.example.com/me",
            "tokenctl token work --scope read --narrow --resource https://api.example.com",
        ]
    ) { context throws(TokenctlError) in
        try TokenVerb(context: context).run()
    }
}

extension Flag<String> {
    static var format: Flag {
        Flag(
            "--format",
            .word("FORM", of: TokenFormat.allCases.map(\.rawValue)),
            "raw, json, header, env, xoauth2 or oauthbearer"
        )
    }
}

extension Flag<Bool> {
    static var fresh: Flag { Flag("--fresh", "refresh first, as after a 401 from the API") }
    static var login: Flag { Flag("--login", "sign in first where that is needed") }
}

/// What `token` does.
private struct TokenVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        let format = try format()
        let params = try parameters()
        let result = try token(params)
        warn(result.result, wanted: params.minValid)
        guard format != .json else {
            context.console.printJSON(.object(result.json))
            return ExitCode.success
        }
        let token = try ServedToken(result.result)
        let account = token.account ?? invocation.account
        let user = format.wantsUser ? try user(of: account, required: format.needsUser) : nil
        context.console.print(format.line(token: token.text, type: token.type, user: user))
        return ExitCode.success
    }

    /// The provider's tokens may all be shorter than what was asked for.
    private func warn(_ result: TokenGet.Result, wanted: Int64?) {
        guard let wanted, let end = result.expiresAt else { return }
        let (left, overflow) = end.subtractingReportingOverflow(context.now)
        // A second passes between the daemon's look at the clock and this one.
        guard !overflow, left < wanted - 1 else { return }
        context.console.say(
            "The token is valid for \(TimePhrase.length(left)), not \(TimePhrase.length(wanted)). The provider gives none that is valid longer."
        )
    }

    private func format() throws(TokenctlError) -> TokenFormat {
        let name = invocation[.format]
        guard !invocation.wantsJSON else {
            guard name == nil || name == TokenFormat.json.rawValue else {
                throw .usage("--json and --format \(TerminalText.sanitized(name ?? "")) exclude each other")
            }
            return .json
        }
        guard let name else { return .raw }
        guard let format = TokenFormat(rawValue: name) else {
            throw Self.noFormat(name, account: invocation.account)
        }
        return format
    }

    private static func noFormat(_ name: String, account: String?) -> TokenctlError {
        let names = TokenFormat.allCases.map(\.rawValue)
        let sentence = "there is no format “\(TerminalText.sanitized(name))”"
        guard let near = NearestName.of(name, among: names) else {
            let list = names.joined(separator: ", ")
            return .usage("\(sentence), but these: \(list)", next: ["tokenctl token --help"])
        }
        let operand = account.map { " " + ShellWord.quoted(TerminalText.sanitized($0)) } ?? ""
        return .usage("\(sentence); did you mean \(near)?", next: ["tokenctl token\(operand) --format \(near)"])
    }

    private func parameters() throws(TokenctlError) -> TokenGet.Parameters {
        var params = try context.tokenParameters(account: invocation.account)
        if invocation[.fresh] { params.fresh = true }
        return params
    }

    private func token(_ params: TokenGet.Parameters) throws(TokenctlError) -> Answer<TokenGet.Result> {
        do throws(TokenctlError) {
            return try context.askOpeningStore(TokenGet.self, params, account: invocation.account)
        } catch {
            let needsLogin = error.code == .loginRequired || error.code == .loginPending
            guard needsLogin, invocation[.login] else { throw error }
            let named = error.details.account
            let account = if let named { named } else { try context.account() }
            _ = try SignIn(context, account: account, options: SignIn.Options()).run()
        }
        return try context.askOpeningStore(TokenGet.self, params, account: invocation.account)
    }

    /// Whose mailbox it is: what the provider calls the user.
    private func user(of account: String?, required: Bool) throws(TokenctlError) -> String? {
        let status = try context.ask(Status.self, Status.Parameters(account: account), account: account)
        if let identity = status.accounts.first?.identity, TokenFormat.isPrintable(identity) { return identity }
        guard required else { return nil }
        throw TokenctlError(
            .providerError,
            exitCode: ExitCode.dataError,
            "the provider does not say whose account this is",
            next: ["tokenctl login \(TerminalText.sanitized(account ?? "ACCOUNT")) --scope 'openid email'"]
        )
    }
}
