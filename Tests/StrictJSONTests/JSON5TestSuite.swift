// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

/// The cases of https://github.com/json5/json5-tests (MIT, Copyright 2012-2016 Aseem Kishore and others), by their
/// names there.
@Suite struct JSON5TestSuite {
    private static let reader = JSONReader(dialect: .json5)

    @Test(arguments: accepted) func `JSON5 is accepted`(_ sample: SuiteCase) throws {
        _ = try Self.reader.read(sample.bytes)
    }

    @Test(arguments: accepted) func `a .json5 case is not JSON, a .json case is`(_ sample: SuiteCase) {
        let value = try? JSONReader().read(sample.bytes)
        let isJSON = sample.name.hasSuffix(".json") && sample.name != "comments/irregular-block-comment.json"
        #expect((value != nil) == isJSON)
    }

    @Test(arguments: refused) func `what is not JSON5 is refused`(_ sample: SuiteCase) throws {
        let error = #expect(throws: JSONError.self) { try Self.reader.read(sample.bytes) }
        #expect((0...sample.bytes.count).contains(try #require(error).offset))
        #expect(throws: JSONError.self) { try JSONReader().read(sample.bytes) }
    }

    @Test func `duplicate-keys is refused although JSON5 lets the last one win`() {
        let error = #expect(throws: JSONError.self) { try Self.reader.read("{\n    \"a\": true,\n    \"a\": false\n}") }
        #expect(error?.code == .doubledName)
        #expect(error?.offset == 21)
    }

    @Test(arguments: [
        ("+15", "15"), ("-.5", "-0.5"), ("5.", "5"), ("5.e4", "5e4"), ("+0.0", "0.0"), ("-0.", "-0"),
        ("0xDEADbeef", "3735928559"), ("-0xC8", "-200"), ("-0x0", "-0"), ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"),
        ("Infinity", "Infinity"), ("+Infinity", "Infinity"), ("-Infinity", "-Infinity"), ("NaN", "NaN"),
        ("-NaN", "NaN"), ("0xc8e4", "51428"), (".5e-3", "0.5e-3"),
    ]) func `a number gets JSON's spelling`(_ source: String, _ expected: String) throws {
        #expect(try Self.reader.read(source).number?.text == expected)
    }

    @Test(arguments: [
        (#"'it\'s'"#, "it's"), (#"'\x41\v\0'"#, "A\u{0B}\0"), (#"'\A\C\/\D'"#, "AC/D"), ("'a\\\r\nb'", "ab"),
        ("'a\\\u{2028}b'", "ab"), ("'\u{2028}\u{2029}'", "\u{2028}\u{2029}"), ("'\t'", "\t"), (#""\'""#, "'"),
        (#"'\xE9'"#, "é"), (#"'\é'"#, "é"), (#"'"'"#, "\""),
    ]) func `a string's escapes are resolved`(_ source: String, _ expected: String) throws {
        #expect(try Self.reader.read(source).string == expected)
    }

    @Test(arguments: [
        #"'\1'"#, #"'\08'"#, #"'\x4'"#, #"'\ud800'"#, "'a\nb'", "'a\rb'", "'a", #"'\"#, "'\\", "{\\u0031a: 1}",
        "{a\\x41: 1}",
        "{a b: 1}", "{: 1}", "{'a' 1}", "/", "/*", "/* *", "//", "[1 /]", "Infinit", "Nan", "+", "+-1", "0x", "1.e",
        "0x10000000000000000", "--1", "[,]", "{,}", "[1,,]", "\u{85}1", "undefined", "{a: 1, \\u0061: 2}", "1_000",
    ]) func `whatever breaks the grammar is refused`(_ source: String) {
        #expect(throws: JSONError.self) { try Self.reader.read(source) }
    }

    @Test func `a comment or a bare name that is not UTF-8 is refused`() {
        for bytes in ["// <FF>\n1", "/* <C3> */1", "{<FF>: 1}", "{a<ED><A0><80>: 1}", "1 <C0><80>"] {
            let sample = SuiteCase.table("case " + bytes.replacing("\n", with: "<0A>"))[0]
            let error = #expect(throws: JSONError.self) { try Self.reader.read(sample.bytes) }
            #expect(error?.code == .invalidUnicode)
        }
    }

    @Test func `white space of every kind may stand between`() throws {
        let space = "\t\u{0B}\u{0C} \u{A0}\u{FEFF}\n\r\u{2028}\u{2029}\u{1680}\u{2003}\u{3000}/**/"
        let value = try Self.reader.read("\(space){\(space)a\(space):\(space)1\(space),\(space)}\(space)")
        #expect(value == ["a": 1])
    }

    @Test func `names that JSON5 spells bare are read with their places`() throws {
        let value = try Self.reader.read("{ sig\\u03A3ma: 1, ümlaut: 2, a\u{200D}b: 3 }")
        let object = try #require(value.object)
        #expect(object.names == ["sigΣma", "ümlaut", "a\u{200D}b"])
        #expect(object.member("sigΣma")?.nameRange == 2..<13)
    }
}
