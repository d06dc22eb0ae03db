// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The provider's pages for people: no script, no picture, nothing from elsewhere.
enum SignInForm {
    /// The form that asks for name and password.
    static func page(client: String, request: String, isRetry: Bool) -> String {
        let complaint = isRetry ? "<p role=\"alert\">That name and password do not go together.</p>" : ""
        return document(
            title: "Sign in",
            """
            <h1>Sign in</h1>
            <p><strong>\(escape(client))</strong> wants to act for you.</p>
            \(complaint)
            <form method="post" action="sign-in">
            <input type="hidden" name="request" value="\(escape(request))">
            <p><label>Name <input name="username" autocomplete="username" autofocus></label></p>
            <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
            <p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Deny</button></p>
            </form>
            """
        )
    }

    /// The form that asks for the code of a device login, too.
    static func devicePage(code: String) -> String {
        document(
            title: "Enter a code",
            """
            <h1>Enter a code</h1>
            <p>Go on only if your other device shows the same code.</p>
            <form method="post" action="device">
            <p><label>Code <input name="user_code" value="\(escape(code))"></label></p>
            <p><label>Name <input name="username" autocomplete="username"></label></p>
            <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
            <p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Deny</button></p>
            </form>
            """
        )
    }

    /// The end of a device login's page.
    static var done: String { document(title: "Done", "<h1>Done</h1><p>Go back to your other device.</p>") }

    /// A page for a request that leads nowhere.
    static func refusal(_ sentence: String) -> String {
        document(title: "Not possible", "<h1>Not possible</h1><p>\(escape(sentence))</p>")
    }

    private static func document(title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
        <style>body { font: 1.1rem/1.5 sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }</style>
        </head><body>\(body)</body></html>
        """
    }

    private static func escape(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }
}
