// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth

extension FuzzTarget {
    /// Each line is one field.
    static func readChallenges(_ bytes: [UInt8]) throws(BrokenRule) {
        let values = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        for challenge in AuthenticationChallenge.parse(values) {
            try BrokenRule.unless(!challenge.scheme.isEmpty, "a challenge has a scheme")
            try BrokenRule.unless(
                challenge.scheme.utf8.allSatisfy { !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) },
                "a scheme is in small letters: \(challenge.scheme)"
            )
            let names = challenge.parameters.map(\.name)
            try BrokenRule.unless(Set(names).count == names.count, "a parameter comes once: \(names)")
            for parameter in challenge.parameters {
                try BrokenRule.unless(challenge[parameter.name] == parameter.value, "a parameter is found by its name")
            }
        }
    }

    /// A redirect URI, a line end, the redirect's URL.
    static func readRedirect(_ bytes: [UInt8]) throws(BrokenRule) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        let sent = texts[0]
        let home = texts.count > 1 ? texts[1] : sent
        for text in texts { try checkURL(text) }
        if let redirect = try? RedirectURI(sent) {
            let text = redirect.text(port: 49_152)
            try BrokenRule.unless((try? WebURL(text)) != nil, "a redirect with a port is a URL: \(text)")
            try BrokenRule.unless(
                RedirectURI.parameters(of: text, for: text) != nil || redirect.url.queryParameters == nil,
                "a redirect is itself: \(text)"
            )
        }
        try checkQuery(RedirectURI.parameters(of: home, for: sent) ?? FormParameters.decode(home))
    }

    private static func checkURL(_ text: String) throws(BrokenRule) {
        guard let url = try? WebURL(text) else { return }
        try BrokenRule.unless(url.text.utf8.elementsEqual(text.utf8), "a URL keeps its text")
        try BrokenRule.unless(url.port.map { (0...65_535).contains($0) } ?? true, "a port is one: \(text)")
        try BrokenRule.unless(url.host == url.host.lowercased(), "a host is in small letters: \(url.host)")
        var more = FormParameters()
        more.append("a b", "&=%+\u{e9}\n")
        let longer = url.appendingQuery(more)
        let isElsewhere = longer.origin != url.origin || longer.path != url.path
        try BrokenRule.unless(!isElsewhere, "a query moves nothing: \(longer.text)")
        try BrokenRule.unless((try? WebURL(longer.text)) != nil, "a URL with a query is a URL: \(longer.text)")
        if url.queryParameters != nil {
            try BrokenRule.unless(longer.queryParameters?["a b"] != nil, "what was appended is there: \(longer.text)")
        }
    }

    private static func checkQuery(_ query: FormParameters?) throws(BrokenRule) {
        guard let query else { return }
        try BrokenRule.unless(
            FormParameters.decode(query.encodedText()) == query,
            "parameters that are written are read as the same"
        )
        let expected = AuthorizationResponse.Expected(state: "s", issuer: nil, requiresIssuer: false)
        switch AuthorizationResponse.read(query, for: expected) {
        case .code, .refused, .failed:
            try BrokenRule.unless(query.values(of: "state") == ["s"], "an answer has the state that was sent, once")
        case .ignored:
            break
        }
    }

    static func readDate(_ bytes: [UInt8]) throws(BrokenRule) {
        let text = String(decoding: bytes, as: UTF8.self)
        for now in [nil, 0, 1_700_000_000, 253_402_300_799] as [Int?] {
            if let time = HTTPDate.unixTime(text, now: now) { try checkWritten(time, text) }
            guard let after = RetryAfter(text, now: now) else { continue }
            for clock in [0, 1_700_000_000, Int.max, Int.min] {
                let wait = after.wait(now: clock, cap: .seconds(3600))
                try BrokenRule.unless(wait >= .zero && wait <= .seconds(3600), "a wait is bounded: \(wait)")
            }
        }
    }

    private static func checkWritten(_ time: Int, _ text: String) throws(BrokenRule) {
        // Before the year 1000 the written form has too few digits; no date here is so old.
        guard time >= -30_610_224_000, time < 253_402_300_800 else { return }
        let written = HTTPDate.text(unixTime: time)
        try BrokenRule.unless(HTTPDate.unixTime(written) == time, "a date that is written is read as the same: \(time)")
        // The preferred form has one text for each time, but for the day of the week, and for a leap second; tabs around it
        // are no words.
        let words = text.split(separator: " ")
        guard !text.contains("\t"), words.count == 6, words[5] == "GMT", !words[4].hasSuffix(":60") else { return }
        try BrokenRule.unless(
            written.split(separator: " ").dropFirst() == words.dropFirst(),
            "a date that is read is written as the same: \(text)"
        )
    }
}
