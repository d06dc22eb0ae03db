// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// A first look at what a person answers to a preset's question, while they are asked; the daemon has the last word. Pure.
package enum PresetAnswer {
    /// Why an answer of that kind will not do, as a sentence; nil for a good one, and for kinds that are not known here.
    package static func fault(of answer: String, kind: String?) -> String? {
        switch kind {
        case "url":
            guard let url = try? WebURL(answer), url.scheme == "https" || (url.scheme == "http" && url.isLoopback),
                url.query == nil, url.fragment == nil
            else { return "That is no address such as https://login.example.com." }
        case "host":
            guard let url = try? WebURL("https://" + answer), url.path.isEmpty, url.query == nil, url.fragment == nil
            else { return "That is no server’s name, such as login.example.com." }
        default: break
        }
        return nil
    }
}
