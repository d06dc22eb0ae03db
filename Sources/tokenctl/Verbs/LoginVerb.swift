// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokendProtocol

extension Verb {
    /// `tokenctl login`: makes the account where that was asked for, then signs in.
    package static let login = Verb(
        "login",
        operands: [.account],
        flags: .accountSettings(
            and: .device,
            .noBrowser,
            .paste,
            .timeout,
            .force,
            .loginHint,
            .acrValues,
            .maxAge
        ),
        summary: "sign in with your browser",
        details: [
            "Prints the sign-in URL, opens your browser and waits until you are done.",
            "With --device it shows a code, and the page where you enter it on any device.",
            "With --provider, or --issuer and --client-id, it makes the account first. If you",
            "are not signed in to an account of that name, it gets these settings. At a",
            "terminal you are asked for what is missing. --scope and --tool ask for more than",
            "before; what you had stays.",
            "For a redirect URI with an application's own scheme (com.example.app:/path), it",
            "first sets up the desktop to open that scheme with tokenctl callback.",
            "Ctrl-C cancels the sign-in, here and in the daemon.",
        ],
        examples: [
            "tokenctl login work",
            "tokenctl login work --device",
            "tokenctl login work --paste",
            "tokenctl login mail --provider google --tool mail --client-id ID",
            "tokenctl login gh --scope repo",
            "tokenctl login work --issuer https://login.example.com \\\n"
                + "      --client-id desktop --scope openid --scope email",
        ],
        advice: [.timeout: { account in account.map { "tokenctl login \($0)" } }],
        makesAccounts: true
    ) { context throws(TokenctlError) in
        try LoginVerb(context: context).run()
    }
}

extension Flag<Bool> {
    static var device: Flag { Flag("--device", "show a code that you enter on another device, such as your phone") }
    static var noBrowser: Flag { Flag("--no-browser", "print the URL, and open no browser") }
    static var paste: Flag { Flag("--paste", "paste the final address yourself; works with a browser on any machine") }
    static var force: Flag { Flag("--force", "also accept another user than last time") }
}

extension Flag<Int64> {
    static var timeout: Flag { Flag("--timeout", time: "how long to wait for you, such as 300 or 10m") }
    static var maxAge: Flag { Flag("--max-age", time: "how long ago you may have signed in, such as 0 or 5m") }
}

extension Flag<String> {
    static var loginHint: Flag { Flag("--login-hint", .text("NAME"), "tell the provider who is about to sign in") }
    static var acrValues: Flag {
        Flag("--acr-values", .text("VALUES"), "how strong the sign-in must be, in the provider's words")
    }
}

/// What `login` does.
private struct LoginVerb {
    let context: CommandContext
    private var invocation: Invocation { context.invocation }

    func run() throws(TokenctlError) -> Int32 {
        var options = try options()
        let account: String
        var isNew = false
        if AccountDraft.isDrafted(by: invocation) {
            let draft = try AccountInquiry(context: context).loginDraft()
            isNew = try AccountAddition(context: context).addOrReplace(draft)
            account = draft.account
        } else {
            account = try context.account()
            let scopes = try invocation.scopes + toolScopes(account)
            if !scopes.isEmpty { options.scope = scopes.joined(separator: " ") }
            options.redirectURI = invocation[.redirectURI]
        }
        do throws(TokenctlError) {
            let result = try SignIn(context, account: account, options: options).run()
            context.finish(result) {}
            return ExitCode.success
        } catch {
            throw isNew ? Self.leaving(account, error) : error
        }
    }

    /// What the tools that were named need, at the provider of an account that is there.
    private func toolScopes(_ account: String) throws(TokenctlError) -> [String] {
        let tools = try invocation.tools()
        guard !tools.isEmpty else { return [] }
        let shown = try context.ask(AccountShow.self, AccountShow.Parameters(account: account), account: account)
        guard let provider = shown.provider ?? shown.config[.provider]?.string else {
            throw .usage("\(account) has no provider's preset, so --tool is not known there; take --scope")
        }
        let guide = try PresetGuide(named: provider, context)
        _ = try guide.scopes(for: tools, beside: [])
        return tools.flatMap { guide.tool($0)?.scopes ?? [] }
    }

    /// A sign-in that failed right after its account was made: what stays is said, and how it goes.
    private static func leaving(_ account: String, _ failure: TokenctlError) -> TokenctlError {
        var error = failure
        error.aftermath = "The account \(account) was made all the same, and stays."
        let login = "tokenctl login \(account)"
        if !error.next.contains(where: { $0.hasPrefix(login) }) { error.next.append(login) }
        error.next.append("tokenctl account remove \(account)")
        return error
    }

    private func options() throws(TokenctlError) -> SignIn.Options {
        var options = SignIn.Options()
        options.pastes = invocation[.paste]
        if invocation[.device] {
            guard !options.pastes else { throw .usage("a code leaves no address to paste: take --device or --paste") }
            options.flow = .device
        } else if options.pastes {
            // Also where the account signs in with a code otherwise.
            options.flow = .browser
        }
        options.opensBrowser = !invocation[.noBrowser]
        if let seconds = try invocation[.timeout] {
            guard seconds > 0 else { throw .usage("--timeout 0 leaves no time to sign in") }
            options.timeout = seconds
        }
        options.force = invocation[.force]
        options.loginHint = invocation[.loginHint]
        options.acrValues = invocation[.acrValues]
        options.maxAge = try invocation[.maxAge]
        return options
    }
}
