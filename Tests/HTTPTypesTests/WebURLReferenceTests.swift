// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

/// References against the URL that they came from (RFC 3986, section 5.4).
@Suite struct WebURLReferenceTests {
    @Test(arguments: [
        ("https://b/x", "https://b/x"), ("/index.php/x?q=1#f", "https://h:8443/index.php/x?q=1"),
        ("//other/y", "https://other/y"), ("y", "https://h:8443/a/b/y"), ("./y", "https://h:8443/a/b/y"),
        ("../y", "https://h:8443/a/y"), ("../../../y", "https://h:8443/y"), ("/a/./b/../c/", "https://h:8443/a/c/"),
        ("..", "https://h:8443/a/"), ("?z", "https://h:8443/a/b/c?z"), ("y/../z?a/../b", "https://h:8443/a/b/z?a/../b"),
    ])
    func `a reference is resolved`(reference: String, target: String) throws {
        #expect(try WebURL("https://h:8443/a/b/c?q").resolving(reference)?.text == target)
    }

    @Test(arguments: ["", "#f", "ftp://h/x", "//user@h/", "/a b", "http://"])
    func `what is none means nothing`(reference: String) throws {
        #expect(try WebURL("https://h/a").resolving(reference) == nil)
    }

    @Test func `a path that is empty is the root`() throws {
        #expect(try WebURL("https://h").resolving("x")?.text == "https://h/x")
    }
}
