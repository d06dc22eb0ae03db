// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Before a sign-in whose answer comes to a private-use scheme: has the desktop open it with `tokenctl callback`, where a
/// browser of this machine is about to need that.
struct SchemeOffer {
    private let context: CommandContext
    private let account: String
    private let opensBrowser: Bool

    init(_ context: CommandContext, account: String, opensBrowser: Bool) {
        self.context = context
        self.account = account
        self.opensBrowser = opensBrowser
    }

    /// Installs the handler; throws `refusal` where the browser would be elsewhere.
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
            "\(installation.scheme): is opened by tokenctl now, so that the answer comes home. To undo that later:"
        )
        context.console.sayNext(["tokenctl callback --remove \(installation.scheme)"])
    }
}
