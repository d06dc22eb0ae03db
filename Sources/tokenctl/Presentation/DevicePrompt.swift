// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import TokendProtocol

/// What a user is shown for a device login (RFC 8628, section 3.3): whose it is, the page, the code, and, where a
/// terminal has the room, a QR code. Pure.
package struct DevicePrompt: Sendable {
    private let account: String
    /// The provider's host, by which a user knows whose page it has to be (section 5.4).
    private let host: String?
    private let code: String
    private let page: String
    private let pageWithCode: String?

    /// From the daemon's answer; nil where it is no device login's.
    package init?(_ started: LoginStart.Result, account: String) {
        guard let code = started.userCode, let page = started.verificationURI else { return nil }
        self.account = TerminalText.sanitized(account)
        host = started.issuer.map { TerminalText.sanitized(Self.host($0)) }
        self.code = TerminalText.sanitized(code)
        self.page = TerminalText.sanitized(page, limit: 2048)
        pageWithCode = started.verificationURIComplete.map { TerminalText.sanitized($0, limit: 2048) }
    }

    /// The authority of a URL, the port included.
    private static func host(_ url: String) -> String {
        guard let scheme = url.firstRange(ofText: "://") else { return url }
        return String(url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" })
    }

    /// What to say, for a terminal or a file. `encoder` makes a QR code of a text where it can.
    package func lines(_ traits: TerminalTraits, encoder: (String) -> QRCode?) -> [String] {
        let palette = traits.errorPalette
        let whose = host.map { " at \(palette.paint($0, .strong))" } ?? ""
        let head = ["Sign in to \(palette.paint(account, .strong))\(whose): on any device, open", "", "  \(page)", ""]
        if traits.errorIsTerminal, palette.unicode, let drawn = drawing(traits, encoder) {
            return head + drawn + [""]
        }
        var lines = head + ["and enter this code:", ""]
        lines += (traits.errorIsTerminal ? frame(palette) : [code]).map { "  " + $0 } + [""]
        if let pageWithCode {
            lines += ["Or open this, and go on only if it shows the same code:", "", "  " + pageWithCode, ""]
        }
        return lines
    }

    /// The QR code with the code to enter beside it; of the page with the code in it, where that fits, else of the page.
    private func drawing(_ traits: TerminalTraits, _ encoder: (String) -> QRCode?) -> [String]? {
        let palette = traits.errorPalette
        let frame = frame(palette)
        for (text, words) in [(pageWithCode, Self.filled), (page, Self.empty)] {
            guard let text, let qr = encoder(text) else { continue }
            let beside = ["", "and enter this code:", ""] + frame.map { "  " + $0 } + [""] + words
            let room = traits.width - Self.indent - qr.width - Self.gap
            guard max(DisplayWidth.of(code) + 8, Self.widestWords) <= room, qr.height >= beside.count,
                qr.height + Self.linesAround <= traits.height
            else { continue }
            return zip(qr.lines(palette), beside + Array(repeating: "", count: qr.height - beside.count)).map {
                String(repeating: " ", count: Self.indent) + $0
                    + ($1.isEmpty ? "" : String(repeating: " ", count: Self.gap) + $1)
            }
        }
        return nil
    }

    private static let filled = ["Or scan this, and go on only", "if it shows the same code."]
    private static let empty = ["Scanning this opens the page."]
    private static let widestWords = 30
    private static let indent = 2
    private static let gap = 3
    /// What stands above the QR code and below it.
    private static let linesAround = 6

    private func frame(_ palette: Palette) -> [String] {
        let signs = palette.unicode ? ["╭", "─", "╮", "│", "╰", "╯"] : ["+", "-", "+", "|", "+", "+"]
        let edge = String(repeating: signs[1], count: DisplayWidth.of(code) + 4)
        return [
            signs[0] + edge + signs[2], "\(signs[3])  \(palette.paint(code, .strong))  \(signs[3])",
            signs[4] + edge + signs[5],
        ]
    }
}
