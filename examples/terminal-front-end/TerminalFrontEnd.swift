// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokenClient

/// An application that shows the provider's page itself, as small as can be: its view is this terminal, which follows
/// redirects and cannot show forms. A real one has a web view in its place, and the same four functions.
///
///     terminal-front-end ACCOUNT [REDIRECT-URI]
@main
final class TerminalFrontEnd: SignInFrontEnd {
    private var view = TerminalView()
    private var exitCode: Int32 = 1

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let account = arguments.first, arguments.count <= 2, !account.hasPrefix("-") else {
            say("usage: terminal-front-end ACCOUNT [REDIRECT-URI]")
            exit(64)
        }
        let frontEnd = TerminalFrontEnd()
        do throws(TokenClientError) {
            let signIn = FrontEndSignIn(
                try TokenClient(),
                account: account,
                redirectURI: arguments.dropFirst().first,
                frontEnd: frontEnd
            )
            signIn.begin()
            // The view loads one page after the other, and asks before each.
            while let page = frontEnd.view.next, signIn.navigation(to: page) == .goOn {
                frontEnd.view.load(page)
            }
            if signIn.result == nil {
                signIn.cancel()
                say("The last page needs a person, and this view cannot show it.")
            }
        } catch {
            frontEnd.failed(error)
        }
        exit(frontEnd.exitCode)
    }

    /// Show this page.
    func show(_ url: String) {
        view.next = url
    }

    /// Add to what came back before it is kept.
    func metadata(addedTo returned: [String: String]) -> [String: String] {
        ["front_end": "terminal", "came_back": returned.keys.sorted().joined(separator: " ")]
    }

    /// Told of the good end.
    func signedIn(_ account: SignedInAccount) {
        exitCode = 0
        print("Signed in to \(account.account)" + (account.identity.map { " as \($0)" } ?? "") + ".")
        for (name, value) in account.metadata.sorted(by: { $0.key < $1.key }) { print("  \(name): \(value)") }
    }

    /// Told of every other one.
    func failed(_ error: TokenClientError) {
        Self.say("The sign-in did not work: \(error)")
    }

    private static func say(_ line: String) {
        write(2, line + "\n", line.utf8.count + 1)
    }
}
