// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

@Suite struct JSONValueTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil), ("1E0", nil),
            ("123456789012345678901234567890", nil),
        ] as [(String, Int64?)]
    ) func `only what is written as an integer is one`(_ text: String, _ expected: Int64?) throws {
        #expect(try JSONReader().read(text).int64 == expected)
    }

    @Test(
        arguments: [
            ("1.5", 1.5), ("1e3", 1000), ("-2E-2", -0.02), ("1e400", nil), ("-1e400", nil),
            ("12345678901234567890", 1.2345678901234567e19),
        ] as [(String, Double?)]
    ) func `a number beyond a double has none`(_ text: String, _ expected: Double?) throws {
        #expect(try JSONReader().read(text).number?.double == expected)
    }

    @Test func `JSON5's numbers without a size are doubles`() throws {
        let value = try JSONReader(dialect: .json5).read("[Infinity, -Infinity, NaN]")
        let doubles = try #require(value.array).map { $0.number?.double }
        #expect(doubles[0] == .infinity)
        #expect(doubles[1] == -.infinity)
        #expect(doubles[2]?.isNaN == true)
        #expect(JSONWriter.bytes(value) == Array("[null,null,null]".utf8))
    }

    @Test func `an accessor answers for its own kind only`() {
        let values: [JSONValue] = [nil, true, 1, "a", [], [:]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil])
        #expect(values.map(\.int64) == [nil, nil, 1, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, "a", nil, nil])
        #expect(values.map(\.array) == [nil, nil, nil, nil, [], nil])
        #expect(values.map(\.object) == [nil, nil, nil, nil, nil, [:]])
        #expect(values.map(\.kindName) == ["null", "a boolean", "a number", "a string", "a list", "an object"])
    }

    @Test func `an object keeps its order and has no doubles`() {
        var object: JSONObject = ["b": 1, "a": 2, "b": 3]
        #expect(object.names == ["b", "a"])
        #expect(object["b"] == 3)
        object["c"] = nil
        object["a"] = nil
        object["d"] = .null
        #expect(object.names == ["b", "d"])
        #expect(object["d"] == JSONValue.null)
        #expect(object["e"] == nil)
        #expect(object.member("b")?.valueRange.isEmpty == true)
    }

    @Test func `objects are equal whatever their order and their places`() throws {
        let read = try JSONReader().read(#"{ "a" : 1, "b" : [ 2 ] }"#)
        #expect(read == ["b": [2], "a": 1])
        #expect(read != ["b": [2]])
        #expect(read != ["b": [2], "c": 1])
    }

    /// What looks through all members for each member takes minutes for so many.
    private static let many = (0..<40_000).map { ("name-\($0)", JSONValue.integer(Int64($0))) }

    @Test func `objects of tens of thousands of members are made and compared in a moment`() throws {
        let start = ContinuousClock.now
        let object = JSONObject(Self.many)
        #expect(object.count == Self.many.count)
        #expect(object == JSONObject(Self.many.reversed()))
        #expect(object == JSONObject(Self.many + [("name-5", 5)]))
        #expect(object != JSONObject(Self.many + [("name-5", 6)]))
        #expect(object != JSONObject(Self.many.dropLast() + [("other", 1)]))
        #expect(ContinuousClock.now - start < .seconds(40))
    }

    @Test(arguments: [3, 40]) func `few members or many, names are compared byte for byte`(count: Int) {
        let plain = Self.many.prefix(count)
        let composed = JSONObject(plain + [("\u{E9}", 1)])
        let decomposed = JSONObject(plain + [("e\u{301}", 1)])
        #expect(composed != decomposed)
        #expect(JSONObject(plain + [("\u{E9}", 1), ("e\u{301}", 1)]).count == count + 2)
        #expect(JSONObject(plain + [("a", 1), ("a", 2)])["a"] == 2)
    }
}
