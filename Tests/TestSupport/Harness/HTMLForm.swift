// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The little of HTML that filling in a sign-in form takes.
enum HTMLForm {
    /// The names and values of the hidden inputs.
    static func hiddenFields(_ html: String) -> [(String, String)] {
        html.split(separator: "<input").dropFirst().compactMap { piece in
            let tag = piece.prefix { $0 != ">" }
            guard attribute("type", in: tag) == "hidden", let name = attribute("name", in: tag) else { return nil }
            return (name, attribute("value", in: tag) ?? "")
        }
    }

    /// Where the first form goes, or nil where it goes to the page's own URL.
    static func action(_ html: String) -> String? {
        let pieces = html.split(separator: "<form", maxSplits: 1)
        guard pieces.count == 2 else { return nil }
        return attribute("action", in: pieces[1].prefix { $0 != ">" })
    }

    private static func attribute(_ name: String, in tag: Substring) -> String? {
        guard let start = tag.firstRange(of: " \(name)=\"")?.upperBound else { return nil }
        let value = tag[start...].prefix { $0 != "\"" }
        return [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&#x2F;", "/"), ("&amp;", "&")]
            .reduce(String(value)) {
                $0.split(separator: $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
            }
    }
}
