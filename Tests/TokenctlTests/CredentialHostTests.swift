// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing
import TokendProtocol
import tokenctl

@Suite struct CredentialHostTests {
    private static let status: JSONObject = [
        "accounts": [
            ["account": "lab", "issuer": "https://gitlab.com", "state": "ready"],
            ["account": "one", "issuer": "https://git.example.com/realms/a", "identity": "a@b.c"],
            ["account": "two", "issuer": "https://git.example.com:443/realms/b", "identity": "d@e.f"],
            ["account": "local", "issuer": "http://127.0.0.1:8080"], ["account": "broken", "issuer": ""],
        ]
    ]

    private static var accounts: [AccountStatus] { Status.Result(tolerating: status).accounts }

    @Test(
        arguments: [
            ("https://gitlab.com", ["lab"]), ("https://GitLab.com:443/", ["lab"]), ("https://gitlab.com:8443", []),
            ("https://registry.gitlab.com", ["lab"]), ("https://evil.gitlab.com", []),
            ("https://gitlab.com.evil.org", []),
            ("https://git.example.com/x.git", ["one", "two"]), ("http://127.0.0.1:8080", ["local"]),
            ("http://127.0.0.1:9090", []), ("https://127.0.0.1:8080", []), ("https://example.com", []),
        ] as [(String, [String])]
    )
    func `a token goes to its own provider alone`(_ url: String, _ accounts: [String]) throws {
        #expect(try #require(CredentialHost(url)).accounts(in: Self.accounts) == accounts)
    }

    @Test func `the name in the URL tells two accounts of a provider apart`() throws {
        let host = try #require(CredentialHost("https://git.example.com"))
        #expect(host.accounts(in: Self.accounts, user: "d@e.f") == ["two"])
        #expect(host.accounts(in: Self.accounts, user: "nobody") == ["one", "two"])
    }

    @Test(arguments: ["http://gitlab.com", "ssh://gitlab.com", "file:///x", "gitlab.com", "https://a@gitlab.com", ""])
    func `in the clear, or elsewhere than to a web server, no token goes`(_ url: String) {
        #expect(CredentialHost(url) == nil)
    }

    @Test func `the name beside a token is the one that the site wants`() {
        #expect(CredentialHost("https://bitbucket.org")?.userName == "x-token-auth")
        #expect(CredentialHost("https://europe-docker.pkg.dev")?.userName == "oauth2accesstoken")
        #expect(CredentialHost("https://gitlab.com")?.userName == "oauth2")
    }
}
