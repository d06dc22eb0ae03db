// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Before a sign-in with a private-use scheme: installs `tokenctl callback` as its handler, if a browser on this
/// machine will need it.
struct SchemeOffer {
    private let context: CommandContext
    private let account: String
    private let opensBrowser: Bool

    init(_ context: CommandContext, account: String, opensBrowser: Bool) {
        self.context = context
        self.account = account
        self.opensBrowser = opensBrowser
    }

    /// Installs the handler; throws `refusal` if the browser would run elsewhere.
    func take(_ scheme: String, or refusal: TokenctlError) throws(TokenctlError) {
        let world = context.world
        let browsers = BrowserCandidates.list(
            url: "https://localhost",
            environment: world.environment,
            find: world.findProgram
        )
        guard opensBrowser, !browsers.isEmpty else {
            var error = refusal
            error.next = ["tokenctl login \(TerminalText.sanitized(account)) --paste"]
            throw error
        }
        let installation = try HandlerInstallation(scheme, world: world)
        try installation.install(replacing: false)
        context.console.say(
            "\(installation.scheme): is opened by tokenctl now, so that the redirect is received. To undo that later:"
        )
        context.console.sayNext(["tokenctl callback --remove \(installation.scheme)"])
    }
}
