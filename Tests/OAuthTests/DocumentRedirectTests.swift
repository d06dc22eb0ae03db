// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@testable import OAuth

/// Redirects of metadata and keys.
@Suite struct DocumentRedirectTests {
    private func redirect(_ place: String, status: Int = 301) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Location": place])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `within the origin it is followed`(status: Int) throws {
        let url = try WebURL("https://h/.well-known/openid-configuration")
        let target = DocumentRedirect.target(of: redirect("/index.php/x", status: status), from: url)
        #expect(target?.text == "https://h/index.php/x")
        #expect(DocumentRedirect.target(of: redirect("https://H:443/y", status: status), from: url) != nil)
    }

    @Test(arguments: ["https://other/x", "http://h/x", "https://h:8443/x", "//other/x", "file:///x", "#", ""])
    func `to anywhere else it is not`(place: String) throws {
        #expect(DocumentRedirect.target(of: redirect(place), from: try WebURL("https://h/a")) == nil)
    }

    @Test func `an answer of another status is no redirect`() throws {
        for status in [200, 300, 304, 404] {
            #expect(DocumentRedirect.target(of: redirect("/x", status: status), from: try WebURL("https://h/a")) == nil)
        }
    }

    @Test func `the sentence names the server and nothing behind it`() throws {
        let elsewhere = redirect("https://login.other.example/saml?SAMLRequest=secret", status: 302)
        let error = #expect(throws: OAuthError.self) {
            try Discovery(issuer: Issuer("https://h/a")).metadata(openID: elsewhere, oauth: HTTPResponse(status: 404))
        }
        #expect(error?.message.contains("a redirect to https://login.other.example, which is another") == true)
        #expect(error?.message.contains("secret") == false)
        let keys = #expect(throws: OAuthError.self) {
            try KeySetDocument.read(elsewhere, from: WebURL("https://h/keys"))
        }
        #expect(keys?.code == .unavailable && keys?.message.contains("https://login.other.example") == true)
    }
}
