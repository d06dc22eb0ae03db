// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct HTTPHeadersTests {
    @Test func `of a long run of combining marks in a value the end is left out`() {
        let headers: HTTPHeaders = ["A": "x" + String(repeating: "\u{301}\u{316}", count: 500)]
        #expect(headers["A"]?.unicodeScalars.count == 31)
    }

    @Test func `names are found in any case`() {
        let headers: HTTPHeaders = ["Content-Type": "text/html"]
        #expect(headers["content-type"] == "text/html")
        #expect(headers["CONTENT-TYPE"] == "text/html")
        #expect(headers["Content-Typ"] == nil)
    }

    @Test func `fields of one name keep their order, and setting replaces them all`() {
        var headers = HTTPHeaders()
        headers.append("Set-Cookie", "a")
        headers.append("X-Other", "o")
        headers.append("set-cookie", "b")
        #expect(headers["Set-Cookie"] == "a")
        #expect(headers.values(of: "SET-COOKIE") == ["a", "b"])
        headers["set-cookie"] = "c"
        #expect(headers.values(of: "Set-Cookie") == ["c"])
        headers["X-Other"] = nil
        #expect(headers.map(\.name) == ["set-cookie"])
    }

    @Test func `a value cannot start another field`() {
        let headers: HTTPHeaders = ["X-Client": "a\r\nAuthorization: Bearer stolen\0"]
        #expect(headers["X-Client"] == "a  Authorization: Bearer stolen")
    }

    @Test func `a value loses the spaces at its ends`() {
        let headers: HTTPHeaders = ["A": " \t b c\t "]
        #expect(headers["A"] == "b c")
    }

    @Test(arguments: ["", "a b", "a:b", "a\r\n", "ä", "(x)", "a\0"])
    func `a field whose name is no token is not taken in`(name: String) {
        var headers = HTTPHeaders()
        headers.append(name, "value")
        headers[name] = "value"
        #expect(headers.map(\.name).isEmpty)
        #expect(!HTTPHeaders.isFieldName(name))
    }

    @Test func `equality looks at order and ignores the case of names`() {
        let left: HTTPHeaders = ["A": "1", "B": "2"]
        #expect(left == ["a": "1", "b": "2"])
        #expect(left != ["B": "2", "A": "1"])
        #expect(left != ["A": "1"])
    }

    @Test func `the description names fields and shows no value`() {
        let headers: HTTPHeaders = ["Authorization": "Bearer canary"]
        var dumped = ""
        dump(headers, to: &dumped)
        #expect("\(headers)" == "[Authorization]")
        #expect(!dumped.contains("canary"))
        #expect(!String(reflecting: headers).contains("canary"))
    }
}
