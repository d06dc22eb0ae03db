// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

/// JSON as servers write it that do not write JSON.
@Suite struct LenientReaderTests {
    private func read(_ bytes: [UInt8]) throws -> JSONValue { try JSONReader.lenient.read(bytes) }

    private func read(_ text: String) throws -> JSONValue { try read(Array(text.utf8)) }

    @Test func `a byte order mark is passed over`() throws {
        #expect(try read([0xEF, 0xBB, 0xBF] + Array(#"{"a":1}"#.utf8)) == ["a": 1])
    }

    @Test func `what is no UTF-8 is replaced in its string, and nothing else is lost`() throws {
        let latin = Array(#"{"name":"Jos"#.utf8) + [0xE9] + Array(#"\u0020\n","b":2}"#.utf8)
        #expect(try read(latin) == ["name": "Jos\u{FFFD} \n", "b": 2])
        #expect(try read([0x22, 0xC3, 0x28, 0xFF, 0x22]) == "\u{FFFD}(\u{FFFD}")
        #expect(try read(#""\ud83d x \ude00\ud83d\ude00""#) == "\u{FFFD} x \u{FFFD}😀")
    }

    @Test(arguments: [2, 16, 17, 40, 500])
    func `of members with one name the last counts, in the place of the first`(count: Int) throws {
        var text = "{" + (0..<count).map { #""m\#($0)":0"# }.joined(separator: ",")
        text += #","m0":1,"m\#(count - 1)":2,"\u006D0":3}"#
        let object = try #require(try read(text).object)
        #expect(object.count == count && object["m0"] == 3 && object["m\(count - 1)"] == 2)
        #expect(object.names.first == "m0")
        #expect(throws: JSONError.self) { try JSONReader().read(text) }
    }

    @Test func `control characters, comments, commas and what follows are no hindrance`() throws {
        #expect(
            try read("{\"a\":\"x\ty\nz\u{0}\", /* c */ 'b': [1,], c: null,} <!-- served in 3 ms -->") == [
                "a": "x\ty\nz\u{0}", "b": [1], "c": nil,
            ]
        )
    }

    @Test func `of a long run of combining marks the end is left out`() throws {
        let long = String(repeating: "\u{301}\u{316}", count: 500)
        let short = String(repeating: "\u{301}\u{316}", count: 15)
        let object = try #require(try read(#"{"a\#(long)b":"\#(long)\n\#(long)"}"#).object)
        #expect(object.names.first?.utf8.elementsEqual("a\(short)b".utf8) == true)
        #expect(object.first { _ in true }?.value.string?.utf8.elementsEqual("\(short)\n\(short)".utf8) == true)
    }

    @Test(arguments: [25, 600, 100_000])
    func `what lies too deep is null, without a frame of the stack for each level`(depth: Int) throws {
        let deep = String(repeating: #"[{"]":"#, count: depth) + "1" + String(repeating: "}]", count: depth)
        let object = try #require(try read(#"{"deep":\#(deep),"b":"c"}"#).object)
        #expect(object["b"] == "c")
        let outer = String(repeating: "[", count: 23)
        #expect(try read(outer + "[1]" + String(repeating: "]", count: 23)) != .null)
    }

    @Test(arguments: ["", "{", #"{"a""#, #"{"a":"x"#, "[[[", #"{"a":tru"#])
    func `what ends too early is no value, and the fault says so`(text: String) {
        let error = #expect(throws: JSONError.self) { try read(text) }
        #expect(error?.code == .unexpectedEnd && error?.offset == text.utf8.count)
    }
}
