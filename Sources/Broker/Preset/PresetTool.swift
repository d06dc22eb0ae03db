// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What one kind of tool needs at a provider: data for the user who sets it up. The daemon itself does nothing with it.
package struct PresetTool: Sendable, Equatable {
    /// The kinds of tools that presets know of.
    package enum Kind: String, Sendable, CaseIterable {
        /// Repositories over https.
        case git
        /// IMAP and SMTP with a token (RFC 7628, or XOAUTH2).
        case mail
        /// Calendars.
        case calendar
        /// A cluster with OpenID Connect, which takes the ID token.
        case kubernetes
    }

    package let kind: Kind
    /// The scopes that it needs, besides those of the preset's `account`.
    package let scopes: [String]
    /// Whether it takes the ID token, and not the access token; nil where that is not known.
    package let takesIDToken: Bool?
    /// The SASL mechanisms that the mail servers have, the best one first.
    package let mechanisms: [String]
    /// The server for incoming mail.
    package let imap: String?
    /// The server for outgoing mail.
    package let smtp: String?
    /// What to know before, in one sentence.
    package let note: String?

    /// The mechanisms that mail programs can be set up for.
    private static let knownMechanisms = ["oauthbearer", "xoauth2"]

    /// The `tools` of a preset's file.
    static func read(from reader: inout MemberReader) -> [PresetTool] {
        guard var all = reader.inner("tools") else { return [] }
        var tools: [PresetTool] = []
        for kind in Kind.allCases {
            guard var inner = all.inner(kind.rawValue) else { continue }
            let tool = PresetTool(
                kind: kind,
                scopes: inner.strings("scopes") ?? [],
                takesIDToken: inner.bool("id_token"),
                mechanisms: inner.strings("mechanisms") ?? [],
                imap: inner.string("imap"),
                smtp: inner.string("smtp"),
                note: inner.string("note")
            )
            for mechanism in tool.mechanisms where !knownMechanisms.contains(mechanism) {
                inner.fault("mechanisms", "has “\(mechanism)”; there are: \(knownMechanisms.joined(separator: ", "))")
            }
            inner.finish()
            all.add(inner.faults)
            tools.append(tool)
        }
        all.finish()
        reader.add(all.faults)
        return tools
    }
}
