// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON

/// A value that a preset does not know: a user supplies it in `set`, and it replaces `{NAME}`.
package struct PresetQuestion: Sendable, Equatable {
    /// The allowed form of an answer; anything else could change which URL it makes.
    package enum Kind: String, Sendable, CaseIterable {
        /// One part of a URL's path or of a host's name: letters, digits and `._-`.
        case word
        /// A host, with a port perhaps.
        case host
        /// An https URL (or http on a loopback address) without a query and a fragment.
        case url
    }

    package let name: String
    /// What it is and where to find it, for a user.
    package let about: String
    package let kind: Kind
    package let example: String?
    /// The default if nothing is supplied; nil: it must be supplied.
    package let standard: String?

    /// The greatest length of an answer in bytes; no host and no name at a provider is longer.
    private static var longestAnswer: Int { 512 }

    /// Why an answer is invalid; nil for a valid one.
    package func fault(of answer: String) -> String? {
        // A preset may use it many times.
        guard answer.utf8.count <= Self.longestAnswer else { return "is longer than \(Self.longestAnswer) bytes" }
        let isGood =
            switch kind {
            case .word: !answer.isEmpty && answer.utf8.allSatisfy(\.isOfWord) && answer != "." && answer != ".."
            case .host: isHost(answer)
            case .url: isPlainURL(answer)
            }
        guard !isGood else { return nil }
        let form =
            switch kind {
            case .word: "letters, digits and ._- alone"
            case .host: "a host’s name, perhaps with a port"
            case .url: "an https URL without a query"
            }
        return "must be \(form)" + (example.map { ", such as “\($0)”" } ?? "")
    }

    private func isHost(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0.isOfWord || $0 == UInt8(ascii: ":") }), let url = try? WebURL("https://" + text)
        else { return false }
        return url.origin == "https://" + text.lowercased() && url.path.isEmpty
    }

    private func isPlainURL(_ text: String) -> Bool {
        (try? Issuer(text)) != nil && !text.contains("{")
    }

    /// Reads `asks` of a preset's file.
    static func read(from reader: inout MemberReader) -> [PresetQuestion] {
        guard var all = reader.inner("asks") else { return [] }
        var questions: [PresetQuestion] = []
        for name in all.object.names {
            guard var inner = all.inner(name) else { continue }
            let question = PresetQuestion(
                name: name,
                about: inner.string("about") ?? "",
                kind: inner.word("kind", as: Kind.self) ?? .word,
                example: inner.string("example"),
                standard: inner.string("default")
            )
            if question.about.isEmpty { inner.fault("about", "is missing: say what is to be supplied") }
            if let standard = question.standard, let fault = question.fault(of: standard) {
                inner.fault("default", fault)
            }
            inner.finish()
            all.add(inner.faults)
            questions.append(question)
        }
        all.finish()
        reader.add(all.faults)
        return questions
    }
}

extension UInt8 {
    /// A letter, a digit or one of `._-`.
    fileprivate var isOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
