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
