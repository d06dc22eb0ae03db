// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import Testing

/// A generator that gives the same numbers for the same seed (SplitMix64), so that a failure can be run again.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// What no table thinks of: broken and random texts. None may trap, and what is read must survive being written.
@Suite struct JSONMutationTests {
    private static let seeds: [[UInt8]] =
        (JSONTestSuite.accepted + JSONTestSuite.refused + JSON5TestSuite.accepted + JSON5TestSuite.refused).map(\.bytes)
    private static let fragments: [[UInt8]] = [
        "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u", "\\uD800", "\\uDC00", "0x", "-", "+", ".", "e", "/*",
        "*/",
        "//", "\n", "\0", "\u{FEFF}", "\u{2028}", "é", "Infinity", "NaN", "true", "null", "1e999",
    ].map { Array($0.utf8) }

    private func mutated(using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Self.seeds.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 1: bytes.insert(contentsOf: Self.fragments.randomElement(using: &generator) ?? [], at: place)
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 4: bytes.removeSubrange(place...)
            default: break
            }
        }
        return bytes
    }

    /// Whether the value has a number that JSON cannot write.
    private func hasInfinity(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): !number.isFinite
        case .array(let elements): elements.contains(where: hasInfinity)
        case .object(let object): object.contains { hasInfinity($0.value) }
        default: false
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a broken text is read or refused but never traps`(_ seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        for _ in 0..<5_000 {
            let bytes = mutated(using: &generator)
            let json = try? JSONReader().read(bytes)
            let json5 = try? JSONReader(dialect: .json5).read(bytes)
            if let json {
                #expect(String(validating: bytes, as: UTF8.self) != nil, "\(bytes)")
                #expect(json == json5, "\(bytes)")
            }
            if let value = json5, !hasInfinity(value) {
                #expect(try JSONReader().read(JSONWriter.bytes(value)) == value, "\(bytes)")
                #expect(try JSONReader().read(JSONWriter.pretty(value)) == value, "\(bytes)")
            }
        }
    }

    @Test func `a text cut at any byte is refused or is a shorter value`() {
        for bytes in Self.seeds {
            for end in 0..<bytes.count {
                for dialect in [JSONReader.Dialect.json, .json5] {
                    do {
                        _ = try JSONReader(dialect: dialect).read(Array(bytes[..<end]))
                    } catch {
                        #expect(error.offset <= end)
                    }
                }
            }
        }
    }
}
