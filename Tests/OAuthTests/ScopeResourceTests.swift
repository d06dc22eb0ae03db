// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import OAuth

/// What scopes say of their resource, where they choose it.
@Suite struct ScopeResourceTests {
    private static let graph = "https://graph.example"
    private static let mail = "https://mail.example"

    @Test(
        arguments: [
            ("openid email offline_access", []), ("User.Read openid", [""]),
            ("https://graph.example/Mail.Read openid https://graph.example/User.Read", [graph]),
            ("https://mail.example/IMAP.All https://graph.example/Mail.Read User.Read", [mail, graph, ""]),
            ("api://0000-1111/.default", ["api://0000-1111"]),
        ] as [(String, [String])]
    )
    func `a scope's name begins with its resource, OpenID's own are of none`(text: String, resources: [String]) {
        #expect(Scope(text).resources == resources)
    }

    @Test func `the scopes of one resource go with OpenID's`() {
        let scope: Scope = ["openid", "https://graph.example/A", "https://mail.example/B", "offline_access"]
        #expect(scope.of(resource: Self.mail) == ["openid", "https://mail.example/B", "offline_access"])
        #expect(scope.of(resource: nil) == ["openid", "offline_access"])
        #expect(scope.of(resource: "") == ["openid", "offline_access"])
    }

    @Test(
        arguments: [
            ("https://graph.example/Mail.Read", true), ("https://graph.example/mail.read", true), ("User.Read", true),
            ("https://graph.example/User.Read", true), ("https://graph.example/.default", true), ("openid", true),
            ("https://mail.example/Mail.Read", false), ("Mail.Send", false), ("profile", false),
        ]
    )
    func `an answer may leave the resource out, write it, or use other letters`(wanted: String, isCovered: Bool) {
        let answer: Scope = ["https://graph.example/Mail.Read", "User.Read", "openid"]
        #expect(answer.covering([wanted]) == (isCovered ? [wanted] : []))
    }
}
