// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension SignInPage {
    /// The whole document. Every variable part passes `shown`.
    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width,initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>\(Self.shown(title)) · tokend</title>
        <link rel="icon" href="\(mood.icon)">
        <style>\(SignInStyle.sheet)</style>
        </head>
        <body class="\(mood.rawValue)">
        <main>
        <div class="mark"><svg viewBox="0 0 24 24" aria-hidden="true"><path pathLength="1" d="\(mood.path)"/></svg></div>
        <h1>\(Self.shown(title))</h1>
        <p>\(Self.shown(text))</p>
        \(factList)\(nextStepNote)\(endLine)</main>
        <footer><b>tokend</b> keeps your sign-ins on this computer.<br>This page came from your own machine.</footer>
        </body>
        </html>

        """
    }

    private var factList: String {
        guard !facts.isEmpty else { return "" }
        let rows = facts.map { "<div><dt>\(Self.shown($0.name))</dt><dd>\(Self.shown($0.value))</dd></div>\n" }
        return "<dl>\n\(rows.joined())</dl>\n"
    }

    private var nextStepNote: String {
        guard let nextStep else { return "" }
        let command = nextStep.command.map { "<code>\(Self.shown($0))</code>" } ?? ""
        return "<p class=\"note\"><strong>What you can do</strong>\(Self.shown(nextStep.text))\(command)</p>\n"
    }

    private var endLine: String {
        "<p class=\"end\">\(Self.shown(end))</p>\n"
    }

    private static func shown(_ text: String) -> String {
        escapeHTML(DisplayText.sanitized(text, limit: 400))
    }
}

extension SignInPage.Mood {
    /// The same picture for the browser's tab, so that the result is visible while another tab is in front.
    fileprivate var icon: String {
        let drawing =
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><circle cx='12' cy='12' r='12' fill='\(tabColour)'/>"
            + "<path d='\(path)' fill='none' stroke='#fff' stroke-width='3' stroke-linecap='round'/></svg>"
        return drawing.utf8.reduce(into: "data:image/svg+xml,") { result, byte in
            switch byte {
            case UInt8(ascii: "<"): result += "%3C"
            case UInt8(ascii: ">"): result += "%3E"
            case UInt8(ascii: "#"): result += "%23"
            default: result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
    }

    /// A colour that contrasts with light and dark tabs.
    private var tabColour: String {
        switch self {
        case .done: "#178a56"
        case .no: "#b57a00"
        case .bad: "#cf3a30"
        case .stray: "#66758e"
        }
    }

    /// The drawing in the circle, on a field of 24 by 24.
    fileprivate var path: String {
        switch self {
        case .done: "M5 12.5l4.7 4.7L19 7.5"
        case .no: "M6 12h12"
        case .bad: "M6.5 6.5l11 11M17.5 6.5l-11 11"
        case .stray: "M9.2 9a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.2-1.5 2.4M12 17.4v.1"
        }
    }
}
