// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

@Suite struct JSONWriterTests {
    private func compact(_ value: JSONValue) -> String {
        String(decoding: JSONWriter.bytes(value), as: UTF8.self)
    }

    @Test func `a value is written on one line without spaces`() {
        let value: JSONValue = ["a": [1, "x", nil, true, false, [:], []], "b": ["c": -5]]
        #expect(compact(value) == #"{"a":[1,"x",null,true,false,{},[]],"b":{"c":-5}}"#)
    }

    @Test func `a value for people stands on lines`() {
        let value: JSONValue = ["a": [1, "x"], "b": [:], "c": [], "d": ["e": nil]]
        let expected = """
            {
              "a": [
                1,
                "x"
              ],
              "b": {},
              "c": [],
              "d": {
                "e": null
              }
            }
            """
        #expect(JSONWriter.pretty(value) == expected)
    }

    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("\n\r\t", #""\n\r\t""#),
        ("\0\u{1B}\u{7F}", #""\u0000\u001b\u007f""#), ("\u{80}\u{9B}\u{9F}\u{A0}", "\"\\u0080\\u009b\\u009f\u{A0}\""),
        ("é€😀", #""é€😀""#), ("\u{2028}", "\"\u{2028}\""),
    ]) func `what could steer a terminal is escaped`(_ text: String, _ expected: String) {
        #expect(compact(.string(text)) == expected)
        #expect(compact(.object(JSONObject([(text, 1)]))) == "{\(expected):1}")
    }

    @Test(arguments: UInt8(0)...0x7F)
    func `a character is written alike wherever it stands in a long string`(_ byte: UInt8) throws {
        let character = String(Unicode.Scalar(byte))
        let alone = compact(.string(character)).dropFirst().dropLast()
        for place in 0...19 {
            let before = String(repeating: "x", count: place)
            let after = String(repeating: "y", count: 19 - place)
            let text = before + character + after
            let written = compact(.string(text))
            #expect(written == "\"\(before)\(alone)\(after)\"")
            #expect(try JSONReader().read(written).string == text)
            let bare = try? JSONReader().read("\"\(text)\"")
            let mayStandBare = byte >= 0x20 && character != "\"" && character != "\\"
            #expect(bare?.string == (mayStandBare ? text : nil))
        }
    }

    @Test func `bytes that are not UTF-8 never come out as they are`() {
        var output: [UInt8] = []
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        bytes.withUnsafeBytes { JSONWriter.appendString(utf8: $0, to: &output) }
        #expect(String(validating: output, as: UTF8.self) == "\"a\u{FFFD}b\"")
    }

    @Test func `every character survives the way out and in`() throws {
        let scalars = (UInt32(0)...0x10FFFF).lazy.filter { $0 < 0x3000 || $0 % 97 == 0 }.compactMap(Unicode.Scalar.init)
        var text = String.UnicodeScalarView()
        // A letter behind each: more combining marks in a row than `MarkRun` allows would not come back.
        for scalar in scalars { text.append(contentsOf: [scalar, "a"]) }
        let value = JSONValue.string(String(text))
        let back = try JSONReader().read(JSONWriter.bytes(value))
        #expect(back.string?.unicodeScalars.elementsEqual(text) == true)
    }
}
