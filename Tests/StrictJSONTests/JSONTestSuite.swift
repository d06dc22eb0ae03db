// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

/// The cases of https://github.com/nst/JSONTestSuite (MIT, Copyright 2016 Nicolas Seriot), by their names there.
@Suite struct JSONTestSuite {
    /// What this reader refuses although a parser may accept it: RFC 8259 leaves doubled names open, the socket's
    /// protocol does not.
    static let doubledNames = SuiteCase.table(
        #"""
        y_object_duplicated_key {"a":"b","a":"c"}
        y_object_duplicated_key_and_value {"a":"b","a":"b"}
        """#
    )

    /// The cases whose bytes are too many for a table.
    static let tooDeep = [
        SuiteCase(name: "n_structure_100000_opening_arrays", bytes: repeated("[", 100_000)),
        SuiteCase(name: "n_structure_open_array_object", bytes: repeated("[{\"\":", 50_000) + repeated("\n", 1)),
        SuiteCase(name: "i_structure_500_nested_arrays", bytes: repeated("[", 500) + repeated("]", 500)),
    ]

    static func repeated(_ text: String, _ count: Int) -> [UInt8] {
        Array(String(repeating: text, count: count).utf8)
    }

    @Test(arguments: accepted) func `what a parser must accept is accepted`(_ sample: SuiteCase) throws {
        _ = try JSONReader().read(sample.bytes)
    }

    @Test(arguments: accepted) func `what is accepted comes back from its own spelling`(_ sample: SuiteCase) throws {
        let value = try JSONReader().read(sample.bytes)
        #expect(try JSONReader().read(JSONWriter.bytes(value)) == value)
        #expect(try JSONReader().read(JSONWriter.pretty(value)) == value)
    }

    @Test(arguments: accepted) func `what JSON accepts JSON5 accepts alike`(_ sample: SuiteCase) throws {
        let value = try JSONReader().read(sample.bytes)
        #expect(try JSONReader(dialect: .json5).read(sample.bytes) == value)
    }

    @Test(arguments: refused) func `what a parser must refuse is refused`(_ sample: SuiteCase) throws {
        let error = #expect(throws: JSONError.self) { try JSONReader().read(sample.bytes) }
        #expect((0...sample.bytes.count).contains(try #require(error).offset))
    }

    @Test(arguments: acceptedByChoice) func `a number keeps its text whatever its size`(_ sample: SuiteCase) throws {
        let text = String(decoding: sample.bytes.dropFirst().dropLast(), as: UTF8.self)
        #expect(try JSONReader().read(sample.bytes).array?.first?.number?.text == text)
    }

    @Test(arguments: refusedByChoice) func `whatever is not whole UTF-8 text is refused`(_ sample: SuiteCase) {
        #expect(throws: JSONError.self) { try JSONReader().read(sample.bytes) }
    }

    @Test(arguments: doubledNames) func `a doubled name is refused`(_ sample: SuiteCase) throws {
        let error = #expect(throws: JSONError.self) { try JSONReader().read(sample.bytes) }
        #expect(error?.code == .doubledName)
    }

    @Test(arguments: tooDeep) func `nesting beyond the bound is an error and no crash`(_ sample: SuiteCase) throws {
        for dialect in [JSONReader.Dialect.json, .json5] {
            let error = #expect(throws: JSONError.self) { try JSONReader(dialect: dialect).read(sample.bytes) }
            #expect(error?.code == .tooDeep)
        }
    }

    @Test func `the suite is here in full`() {
        #expect(Self.accepted.count + Self.doubledNames.count == 95)
        #expect(Self.refused.count + Self.tooDeep.count - 1 == 188)
        #expect(Self.acceptedByChoice.count + Self.refusedByChoice.count + 1 == 35)
    }
}
