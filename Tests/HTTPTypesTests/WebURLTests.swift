// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct WebURLTests {
    @Test func `takes a URL apart and keeps its text`() throws {
        let text = "HTTPS://Login.Example.COM:8443/a%2Fb/?x=1&y=%20#part?2"
        let url = try WebURL(text)
        #expect(url.text == text)
        #expect(url.scheme == "https")
        #expect(url.host == "login.example.com")
        #expect(url.port == 8443)
        #expect(url.path == "/a%2Fb/")
        #expect(url.query == "x=1&y=%20")
        #expect(url.fragment == "part?2")
        #expect(url.origin == "https://login.example.com:8443")
    }

    @Test func `what is not there is empty or nil`() throws {
        let url = try WebURL("https://example.com")
        #expect(url.path == "")
        #expect(url.query == nil)
        #expect(url.fragment == nil)
        #expect(url.port == nil)
        #expect(url.effectivePort == 443)
        #expect(try WebURL("https://example.com?").query == "")
        #expect(try WebURL("https://example.com#").fragment == "")
        #expect(try WebURL("https://example.com#a?b").query == nil)
    }

    @Test(arguments: [
        ("https://example.com:443/x", "https://example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:443/", "http://example.com:443"),
        ("http://[::1]:8080/cb", "http://[::1]:8080"),
        ("com.example.app:/cb", "com.example.app:"),
    ])
    func `the origin leaves the scheme's own port out`(text: String, origin: String) throws {
        #expect(try WebURL(text).origin == origin)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://127.8.9.10:80", "http://[::1]/", "http://[0:0:0:0:0:0:0:1]", "http://LOCALHOST:1",
    ])
    func `this machine is loopback`(text: String) throws {
        #expect(try WebURL(text).isLoopback)
    }

    @Test(arguments: [
        "http://128.0.0.1", "http://10.0.0.1", "http://localhost.example.com", "http://127.0.0.1.nip.io",
        "http://[::2]", "http://[::ffff:127.0.0.1]", "http://[::]", "http://0.0.0.0", "com.example.localhost:/",
    ])
    func `other hosts are not loopback`(text: String) throws {
        #expect(try !WebURL(text).isLoopback)
    }

    @Test func `a private-use scheme is a domain in reverse and one slash`() throws {
        let url = try WebURL("com.Example.app:/oauth?x=1")
        #expect(url.isPrivateUse)
        #expect(url.scheme == "com.example.app")
        #expect(url.host == "")
        #expect(url.path == "/oauth")
        #expect(url.query == "x=1")
        #expect(url.effectivePort == nil)
    }

    @Test(
        arguments: [
            ("", .scheme), ("example.com/", .scheme), ("/path", .scheme), ("1http://x/", .scheme),
            ("myapp:/cb", .scheme),
            ("javascript:alert(1)", .scheme), ("file:///etc/passwd", .scheme), ("data:text/html,x", .scheme),
            ("app.:/cb", .scheme), ("com.example.app://cb", .path), ("com.example.app:cb", .path),
            ("https:/example.com", .host), ("https:example.com", .host), ("https://", .host), ("https:///path", .host),
            ("https://a..b/", .host), ("https://exa%6Dple.com/", .host), ("https://[::1/", .host),
            ("https://[x]/", .host),
            ("https://[::1]x/", .host), ("https://[fe80::1%25eth0]/", .host), ("https://a,b/", .host),
            ("http://127.1/", .host), ("http://2130706433/", .host), ("http://0x7f.1/", .host),
            ("http://0x7f000001/", .host), ("http://1.2.3.4.5/", .host), ("http://127.0.0.01/", .host),
            ("https://user@example.com/", .userInformation), ("https://u:p@example.com/", .userInformation),
            ("https://example.com@evil.example/", .userInformation),
            ("https://example.com:/", .port), ("https://example.com:0/", .port), ("https://example.com:65536/", .port),
            ("https://example.com:+80/", .port), ("https://example.com:8a/", .port), ("https://[::1]:x/", .port),
            ("https://example.com/a b", .character), ("https://example.com/%", .character),
            ("https://example.com/%2", .character), ("https://example.com/%2g", .character),
            ("https://exämple.com/", .character), ("https://example.com/\n", .character),
            ("https://example.com\\@evil.example/", .character), ("https://example.com/\u{202E}", .character),
            ("https://example.com/<>", .character), ("https://example.com/\0", .character),
        ] as [(String, WebURLError.Code)]
    )
    func `what is no URL is refused with the part that is wrong`(text: String, code: WebURLError.Code) {
        let error = #expect(throws: WebURLError.self) { try WebURL(text) }
        #expect(error?.code == code)
    }

    @Test(arguments: [
        ("https://h/a", "https://h/a?s=1+2"), ("https://h/a?", "https://h/a?s=1+2"),
        ("https://h/a?x=1", "https://h/a?x=1&s=1+2"), ("https://h/a?x=1&", "https://h/a?x=1&s=1+2"),
        ("https://h/a?x=1#f", "https://h/a?x=1&s=1+2#f"), ("https://h", "https://h?s=1+2"),
        ("https://h/#a?b", "https://h/?s=1+2#a?b"), ("com.example.app:/cb", "com.example.app:/cb?s=1+2"),
    ])
    func `parameters come after the query that is there`(text: String, result: String) throws {
        let url = try WebURL(text).appendingQuery(["s": "1 2"])
        #expect(url.text == result)
        let reread = try WebURL(result)
        #expect(url.query == reread.query)
        #expect(url.fragment == reread.fragment)
        #expect(url.path == reread.path)
        #expect(try WebURL(text).appendingQuery([:]).text == text)
    }

    @Test func `reads its query as a form`() throws {
        let url = try WebURL("http://127.0.0.1/cb?code=a%20b&state=s+1")
        #expect(url.queryParameters?["code"] == "a b")
        #expect(url.queryParameters?["state"] == "s 1")
        #expect(try WebURL("http://127.0.0.1/cb").queryParameters?.isEmpty == true)
        #expect(try WebURL("http://127.0.0.1/cb?a=%FF").queryParameters == nil)
    }

    @Test func `equality is that of the text`() throws {
        #expect(try WebURL("https://a.example") == WebURL("https://a.example"))
        #expect(try WebURL("https://a.example") != WebURL("https://a.example/"))
        #expect(try WebURL("https://a.example") != WebURL("https://A.example"))
    }

    @Test func `the description leaves query and fragment out`() throws {
        let url = try WebURL("http://127.0.0.1:8000/cb?code=canary#canary")
        var dumped = ""
        dump(url, to: &dumped)
        #expect("\(url)" == "http://127.0.0.1:8000/cb")
        #expect(!dumped.contains("canary"))
        #expect(!String(reflecting: url).contains("canary"))
    }
}
