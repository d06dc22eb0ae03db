// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing
import tokenctl

@Suite struct TokenFormatTests {
    @Test func `a token goes out as a header, an assignment or itself`() {
        #expect(TokenFormat.raw.line(token: "t.k-n", type: "Bearer", user: nil) == "t.k-n")
        #expect(TokenFormat.header.line(token: "t", type: "bearer", user: nil) == "Authorization: Bearer t")
        #expect(TokenFormat.header.line(token: "t", type: "DPoP", user: nil) == "Authorization: DPoP t")
        #expect(TokenFormat.env.line(token: "a.b-c_d", type: "Bearer", user: nil) == "ACCESS_TOKEN=a.b-c_d")
        #expect(TokenFormat.env.line(token: "a'b$c", type: "Bearer", user: nil) == "ACCESS_TOKEN='a'\\''b$c'")
    }

    @Test func `XOAUTH2 is the vendors' own example`() {
        // developers.google.com/workspace/gmail/imap/xoauth2-protocol
        #expect(
            TokenFormat.xoauth2.line(
                token: "ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg",
                type: "Bearer",
                user: "someuser@example.com"
            )
                == "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRj"
                + "Mk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2cBAQ=="
        )
    }

    @Test func `OAUTHBEARER escapes the name`() {
        let line = TokenFormat.oauthbearer.line(token: "t", type: "Bearer", user: "a,b=c")
        #expect(line == Base64.encode(Array("n,a=a=2Cb=3Dc,\u{1}auth=Bearer t\u{1}\u{1}".utf8)))
        let nameless = TokenFormat.oauthbearer.line(token: "t", type: "Bearer", user: nil)
        #expect(nameless == Base64.encode(Array("n,,\u{1}auth=Bearer t\u{1}\u{1}".utf8)))
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 is the RFC's`(_ text: String, _ encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
    }
}
