// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

@Suite struct JSONReaderTests {
    @Test func `a request is read with the places of its members`() throws {
        let text = #" {"method": "token.get", "id": 1.0e1 , "params":{"account":"work"}}"#
        let bytes = Array(text.utf8)
        let object = try #require(try JSONReader().read(bytes).object)
        #expect(object["method"] == "token.get")
        #expect(object["params"] == ["account": "work"])
        let id = try #require(object.member("id"))
        #expect(String(decoding: bytes[id.valueRange], as: UTF8.self) == "1.0e1")
        #expect(String(decoding: bytes[id.nameRange], as: UTF8.self) == "\"id\"")
        let method = try #require(object.member("method"))
        #expect(String(decoding: bytes[method.valueRange], as: UTF8.self) == "\"token.get\"")
    }

    @Test func `a doubled name is refused also where escapes spell it differently`() throws {
        let error = #expect(throws: JSONError.self) { try JSONReader().read(#"{"account":1,"\u0061ccount":2}"#) }
        #expect(error?.code == .doubledName)
        #expect(error?.offset == 13)
        #expect(error?.message == #"the name "account" stands twice in one object"#)
    }

    @Test func `a doubled name is found among many`() throws {
        let names = (0..<5_000).map { "\"n\($0)\":0" }
        #expect(try JSONReader().read("{\(names.joined(separator: ","))}").object?.count == 5_000)
        for repeated in [0, 15, 16, 17, 4_999] {
            let text = "{\(names.joined(separator: ",")),\"n\(repeated)\":1}"
            let error = #expect(throws: JSONError.self) { try JSONReader().read(text) }
            #expect(error?.code == .doubledName)
        }
    }

    @Test func `names that only Unicode takes for equal are two names`() throws {
        let text = "{\"\u{E9}\": 1, \"e\u{301}\": 2}"
        let object = try #require(try JSONReader().read(text).object)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test func `equal names in different objects are no doubles`() throws {
        #expect(try JSONReader().read(#"{"a":{"a":[{"a":1},{"a":2}]}}"#) == ["a": ["a": [["a": 1], ["a": 2]]]])
    }

    @Test func `32 levels are read and 33 are not`() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            _ = try JSONReader().read(nested(32))
            let error = #expect(throws: JSONError.self) { try JSONReader().read(nested(33)) }
            #expect(error?.code == .tooDeep)
            #expect(error?.offset == 32 * open.utf8.count)
        }
    }

    @Test func `depth counts what is open and not what was closed`() throws {
        let text = "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]"
        _ = try JSONReader(maximumDepth: 2).read(text)
    }

    @Test func `a depth beyond the stack is cut`() {
        let reader = JSONReader(maximumDepth: .max)
        #expect(reader.maximumDepth == 512)
        let text = String(repeating: "[", count: 513)
        let error = #expect(throws: JSONError.self) { try reader.read(text) }
        #expect(error?.code == .tooDeep)
    }

    @Test(arguments: [
        (#""\u0000""#, "\0"), (#""a\u0000b""#, "a\0b"), (#""\uD834\uDD1E""#, "\u{1D11E}"), (#""\uFFFF""#, "\u{FFFF}"),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), ("\"\u{7F}\"", "\u{7F}"), (#""é\u00e9€𝄞""#, "éé€𝄞"),
        ("\"\"", ""),
        (#""\uD83D\uDE00\uD83D\uDE00""#, "😀😀"), ("\"\u{10FFFF}\"", "\u{10FFFF}"),
    ]) func `a string's escapes are resolved`(_ source: String, _ expected: String) throws {
        #expect(try JSONReader().read(source).string == expected)
    }

    @Test(arguments: [
        (#""\uD800\uD800""#, 1), (#""x\uDC00""#, 2), (#""\uD800""#, 1), (#""\uD800\u0041""#, 1),
        (#""\uDBFF\\uDC00""#, 1),
    ]) func `half a surrogate pair is refused where it stands`(_ source: String, _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader().read(source) }
        #expect(error?.code == .invalidUnicode)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        "<C0><80>", "<ED><A0><80>", "<ED><BF><BF>", "<F4><90><80><80>", "<F5><80><80><80>", "<80>", "<C3>", "<E2><82>",
        "<E0><9F><BF>", "<F0><8F><BF><BF>", "<C1><BF>", "<FE>", "<FF>", "<F0><9F><98>", "<C3>(",
    ]) func `a string that is not UTF-8 is refused where it breaks`(_ body: String) {
        for escaped in [false, true] {
            let text = (escaped ? #""\n"# : "\"ab") + body + "\""
            let error = #expect(throws: JSONError.self) {
                try JSONReader().read(SuiteCase.table("case " + text)[0].bytes)
            }
            #expect(error?.code == .invalidUnicode)
            #expect(error?.offset == 3)
        }
    }

    @Test func `a bare NUL and other control characters are refused`() {
        for byte in UInt8(0)..<0x20 {
            let inside: [UInt8] = [0x22, byte, 0x22]
            let error = #expect(throws: JSONError.self) { try JSONReader().read(inside) }
            #expect(error?.code == .invalidString)
            #expect(error?.offset == 1)
        }
        for text in ["\0", "1\0", "[1\0]", "{\0}", "{\"a\"\0:1}", "tr\0e", "1.\0"] {
            #expect(throws: JSONError.self) { try JSONReader().read(text) }
            #expect(throws: JSONError.self) { try JSONReader(dialect: .json5).read(text) }
        }
    }

    @Test(arguments: [
        ("", JSONError.Code.unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("{", .unexpectedEnd, 1),
        ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5), ("[1,", .unexpectedEnd, 3),
        ("\"abc", .unexpectedEnd, 4), ("\"\\", .unexpectedEnd, 2), ("\"\\u12", .invalidString, 5),
        ("tru", .unexpectedEnd, 3),
        ("1 2", .unexpectedCharacter, 2), ("[1,]", .unexpectedCharacter, 3), ("{\"a\":1,}", .unexpectedCharacter, 7),
        ("{a:1}", .unexpectedCharacter, 1), ("'a'", .unexpectedCharacter, 0), ("01", .invalidNumber, 0),
        ("-01", .invalidNumber, 1), ("-", .unexpectedEnd, 1), ("+1", .unexpectedCharacter, 0),
        ("1.", .unexpectedEnd, 2),
        ("1e", .unexpectedEnd, 2), (".5", .unexpectedCharacter, 0), ("\"\\x\"", .invalidString, 1),
        ("// a", .unexpectedCharacter, 0), ("\u{FEFF}1", .unexpectedCharacter, 0), ("\u{A0}1", .unexpectedCharacter, 0),
        ("NaN", .unexpectedCharacter, 0), ("0x1", .unexpectedCharacter, 1),
    ]) func `an error tells its kind and its place`(_ source: String, _ code: JSONError.Code, _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader().read(source) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test func `an error is a sentence for a person`() {
        let sentences = [
            "{\"a\" 1}": "expected ':' after a name, found '1'",
            "[1": "the text ends where ',' or ']' must stand",
            "\u{FEFF}{}": "the text starts with a byte order mark; leave it out",
            "\"a\nb\"": "a string does not end on its line; write the line break as \\n",
            "[\u{1B}]": "expected a value, found byte 0x1B",
        ]
        for (source, sentence) in sentences {
            let error = #expect(throws: JSONError.self) { try JSONReader().read(source) }
            #expect(error?.message == sentence)
        }
    }

    @Test func `lines and columns are counted as an editor does`() {
        let bytes = Array("{\r\n  \"é\": x,\r\"b\": 1\n}".utf8)
        let error = #expect(throws: JSONError.self) { try JSONReader().read(bytes) }
        #expect(error.map { $0.position(in: bytes) } ?? (0, 0) == (2, 8))
        #expect(position(of: 0, in: bytes) == (1, 1))
        #expect(position(of: bytes.count, in: bytes) == (4, 2))
        #expect(position(of: bytes.count + 9, in: bytes) == (4, 2))
        #expect(position(of: -1, in: bytes) == (1, 1))
    }
}
