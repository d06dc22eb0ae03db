// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// The parsed operands of `call`. Pure.
package struct CallTarget: Sendable, Equatable {
    /// The account; always named, since its token is sent to a named host.
    package let account: String
    /// The method; nil leaves it to curl.
    package let method: String?
    /// The request's URL.
    package let url: String

    /// `ACCOUNT [METHOD] URL`; tokens are sent in plain text only to this machine itself.
    package init(_ operands: [String]) throws(TokenctlError) {
        let example = ["tokenctl call work https://api.example.com/me"]
        guard let last = operands.last, operands.count > 1 || last.contains(":") else {
            throw .usage("call needs a URL", next: example)
        }
        if let fault = Self.fault(last) {
            throw .usage("call cannot use the URL “\(TerminalText.sanitized(last))”: \(fault)", next: example)
        }
        guard operands.count > 1 else {
            let shown = ShellWord.quoted(TerminalText.sanitized(last))
            throw .usage(
                "call needs ACCOUNT before the URL: whose token goes there?",
                next: ["tokenctl call ACCOUNT \(shown)"]
            )
        }
        url = last
        account = operands[0]
        method = operands.count > 2 ? try Self.method(operands[1]) : nil
    }

    private static func fault(_ text: String) -> String? {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(text)
        } catch {
            return error.code == .scheme ? begin : error.message
        }
        let isFit = url.scheme == "https" || (url.scheme == "http" && url.isLoopback)
        return isFit ? nil : begin + ", or others on the way read the token"
    }

    private static let begin = "it must begin with https:// (to this machine itself, http:// will do)"

    private static func method(_ text: String) throws(TokenctlError) -> String {
        guard text.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
            throw .usage("“\(TerminalText.sanitized(text))” is no HTTP method")
        }
        return text.uppercased()
    }
}
