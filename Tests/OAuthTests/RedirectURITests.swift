// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Testing

@Suite struct RedirectURITests {
    @Test func `the three ways home are told apart (8252-2, 8252-3, 8252-4)`() throws {
        #expect(try RedirectURI("http://127.0.0.1/cb").kind == .loopback(host: .ipv4, port: nil))
        #expect(try RedirectURI("http://[::1]:4711/").kind == .loopback(host: .ipv6, port: 4711))
        #expect(try RedirectURI("http://localhost:80").kind == .loopback(host: .localhost, port: 80))
        #expect(try RedirectURI("com.example.app:/cb").kind == .privateUse(scheme: "com.example.app"))
        #expect(try RedirectURI("https://example.com/cb").kind == .claimed)
    }

    @Test(arguments: [
        "myapp:/cb", "myapp:", "com.example.app://cb", "com.example.app:cb", "http://example.com/cb",
        "http://127.0.0.2/cb", "http://0.0.0.0/cb", "https://h/cb#f", "urn:ietf:wg:oauth:2.0:oob", "javascript:x", "",
        "com..app:/cb", "com.example.:/cb", "com.-app:/cb", "com.app-:/cb", "com.a+b:/cb", "1com.app:/cb",
        "com.app:/c#f",
    ])
    func `anything else is refused at once (8252-2, 8252-6)`(text: String) {
        #expect(throws: OAuthError.self) { try RedirectURI(text) }
    }

    @Test(arguments: [
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb"), ("http://127.0.0.1", "http://127.0.0.1:5000"),
        ("http://[::1]/cb?a=b", "http://[::1]:5000/cb?a=b"), ("http://localhost:80/cb", "http://localhost:80/cb"),
        ("com.example.app:/cb", "com.example.app:/cb"), ("https://h/cb", "https://h/cb"),
    ])
    func `a port is filled in only where the system picked one (6749-7, 8252-4, D11)`(
        configured: String,
        sent: String
    ) throws {
        #expect(try RedirectURI(configured).text(port: 5000) == sent)
        #expect(try RedirectURI(configured).text(port: nil) == configured)
    }

    @Test(arguments: [
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb?state=s&code=c"),
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000/?state=s&code=c"),
        ("http://127.0.0.1:5000/cb?a=b", "http://127.0.0.1:5000/cb?a=b&state=s&code=c"),
        ("com.example.app:/cb", "com.example.app:/cb?state=s&code=c"),
        ("com.example.app:/cb", "COM.example.app:/cb?state=s&code=c"),
        ("https://example.com/cb", "https://EXAMPLE.com:443/cb?state=s&code=c#_=_"),
    ])
    func `a URL that comes home gives its parameters (8252-3, 8252-10)`(sent: String, returned: String) {
        let parameters = RedirectURI.parameters(of: returned, for: sent)
        #expect(parameters == ["state": "s", "code": "c"])
    }

    @Test(arguments: [
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5001/cb?state=s"),
        ("http://127.0.0.1:5000/cb", "http://localhost:5000/cb?state=s"),
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb/?state=s"),
        ("http://127.0.0.1:5000/cb", "http://127.0.0.1:5000/CB?state=s"),
        ("http://127.0.0.1:5000/cb", "https://127.0.0.1:5000/cb?state=s"),
        ("http://127.0.0.1:5000/cb?a=b", "http://127.0.0.1:5000/cb?state=s"),
        ("http://127.0.0.1:5000/cb", "/cb?state=s"), ("com.example.app:/cb", "com.example.other:/cb?state=s"),
        ("https://example.com/cb", "https://example.com.evil.org/cb?state=s"),
        ("https://example.com/cb", "https://example.com@evil.org/cb?state=s"),
        ("https://example.com/cb", "https://example.com/cb?state=%zz"),
    ])
    func `any other URL does not (8252-3, 8252-10)`(sent: String, returned: String) {
        #expect(RedirectURI.parameters(of: returned, for: sent) == nil)
    }
}
