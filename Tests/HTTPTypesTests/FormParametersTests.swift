// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import Testing

@Suite struct FormParametersTests {
    @Test func `encodes the example of RFC 6749, appendix B`() {
        #expect(FormParameters.encode(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test func `leaves letters, digits and four signs as they are`() {
        #expect(FormParameters.encode("AZaz09*-._") == "AZaz09*-._")
        #expect(FormParameters.encode("~!'()/:\n") == "%7E%21%27%28%29%2F%3A%0A")
    }

    @Test func `keeps the order of parameters`() {
        let form: FormParameters = ["grant_type": "refresh_token", "a": "1 2", "empty": ""]
        #expect(form.encoded().reveal() == "grant_type=refresh_token&a=1+2&empty=")
        #expect(form.encodedText() == form.encoded().reveal())
        #expect(FormParameters().encoded().isEmpty)
    }

    @Test func `a long run of combining marks makes no form of ours, and is cut in a server's`() {
        let marks = String(repeating: "%CC%81%CC%96", count: 16)
        #expect(FormParameters.decode("state=a\(marks)") == nil && FormParameters.decode("a\(marks)=1") == nil)
        let read = FormParameters.decodeLeniently(Array("scope=a\(marks)".utf8))
        #expect(read["scope"]?.unicodeScalars.count == 31)
    }

    @Test func `of a server's form the first 256 parameters are read`() {
        let read = FormParameters.decodeLeniently(Array(String(repeating: "a=1&", count: 300).utf8) + Array("b=2".utf8))
        #expect(read.values(of: "a").count == 256 && read["b"] == nil)
    }

    @Test func `a parameter without a value is not sent`() {
        var form = FormParameters()
        form.append("scope", ifPresent: nil)
        form.append("state", ifPresent: "")
        form.append("nonce", ifPresent: "n")
        #expect(form.encodedText() == "nonce=n")
    }

    @Test func `a secret goes into the body as it is`() {
        var form = FormParameters()
        form.append("refresh_token", Secret("r/t+1"))
        #expect(form.encoded() == Secret("refresh_token=r%2Ft%2B1"))
        #expect(form.secret("refresh_token") == Secret("r/t+1"))
        #expect(form.secret("code") == nil)
    }

    @Test func `reads what it writes`() throws {
        let form: FormParameters = ["a b": "c&d=e", "ü": "€ %+", "x": ""]
        #expect(try #require(FormParameters.decode(form.encodedText())) == form)
    }

    @Test func `reads names without values and skips empty pieces`() throws {
        let form = try #require(FormParameters.decode("&code=a%2fb&&flag&x=1=2&"))
        #expect(form.map(\.name) == ["code", "flag", "x"])
        #expect(form.map(\.value) == ["a/b", "", "1=2"])
        #expect(try #require(FormParameters.decode("")).isEmpty)
    }

    @Test func `a doubled parameter can be seen`() throws {
        let form = try #require(FormParameters.decode("state=1&code=c&state=2"))
        #expect(form["state"] == "1")
        #expect(form.values(of: "state") == ["1", "2"])
        #expect(form.values(of: "iss") == [])
    }

    @Test(arguments: ["a=%", "a=%4", "a=%4g", "%zz=1", "a=%C3", "a=%ED%A0%80", "a=%FF"])
    func `a bad escape or bad UTF-8 makes the form unreadable`(text: String) {
        #expect(FormParameters.decode(text) == nil)
    }

    @Test func `the description shows names only`() {
        let form: FormParameters = ["code": "canary", "state": "canary"]
        var dumped = ""
        dump(form, to: &dumped)
        dump(Array(form), to: &dumped)
        #expect("\(form)" == "[code, state]")
        #expect(!dumped.contains("canary"))
        #expect(!String(reflecting: form).contains("canary"))
    }

    @Test func `basic credentials are form-encoded before base64`() {
        #expect(
            basicCredentials(clientID: "a:b c%", clientSecret: Secret("s&é"))
                == "Basic YSUzQWIrYyUyNTpzJTI2JUMzJUE5"
        )
        #expect(
            basicCredentials(clientID: "s6BhdRkqt3", clientSecret: Secret("gX1fBat3bV"))
                == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"
        )
    }
}
