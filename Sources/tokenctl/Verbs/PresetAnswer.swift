// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// A first look at what a user answers to a preset's question, while they are asked; the daemon has the last word. Pure.
package enum PresetAnswer {
    /// Why an answer of that kind will not do, as a sentence; nil for a good one, and for kinds that are not known here.
    package static func fault(of answer: String, kind: String?) -> String? {
        switch kind {
        case "url":
            guard let url = try? WebURL(answer), url.scheme == "https" || (url.scheme == "http" && url.isLoopback),
                url.query == nil, url.fragment == nil
            else { return "That is no address such as https://login.example.com." }
        case "word", nil:
            guard answer.utf8.allSatisfy(isOfWord) else { return "That is more than letters, digits and . _ -" }
        case "host":
            guard let url = try? WebURL("https://" + answer), url.path.isEmpty, url.query == nil, url.fragment == nil
            else { return "That is no server’s name, such as login.example.com." }
        default: break
        }
        return nil
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || "._-".utf8.contains(byte)
    }
}

/// An issuer as users paste it: often the address of its metadata. Pure.
package enum PastedIssuer {
    /// The issuer without a path of well-known documents (OpenID Connect Discovery 4, RFC 8414 3).
    package static func issuer(_ text: String) -> String {
        guard text.contains(text: "://"), let begin = text.firstRange(ofText: "/.well-known/") else { return text }
        let document = text[begin.upperBound...].split(separator: "/", maxSplits: 1).map(String.init)
        // RFC 8414 puts the issuer's own path behind the document's name.
        let path = document.count == 2 ? "/" + document[1] : ""
        return text[..<begin.lowerBound] + path
    }
}
