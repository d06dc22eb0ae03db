// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import OAuth
import Secrets
import StrictJSON

extension FuzzTarget {
    /// Beyond what both readers agree on, ours is the stricter one: it refuses doubled names, a byte order mark and deep
    /// nesting, and keeps numbers that no double holds.
    static func readJSON(_ bytes: [UInt8]) throws(BrokenRule) {
        try readLeniently(bytes)
        let theirs = Result { try JSONDecoder().decode(DecodedTree.self, from: Data(bytes)) }
        switch Result(catching: { () throws(JSONError) in try JSONReader().read(bytes) }) {
        case .success(let value):
            try roundTrip(value)
            guard hasDoublesAlone(value) else { return }
            let tree = try BrokenRule.value("Foundation reads what is read here", theirs.get)
            try BrokenRule.unless(tree.isEqual(to: value), "both readers read the same: \(tree), \(value)")
        case .failure(let error):
            try BrokenRule.unless((0...bytes.count).contains(error.offset), "a fault is inside of the text: \(error)")
            _ = error.position(in: bytes)
            switch error.code {
            case .doubledName, .tooDeep, .tooLong, .invalidUnicode: return
            case .unexpectedCharacter where bytes.starts(with: [0xEF, 0xBB, 0xBF]): return
            // Foundation passes over the last comma of a list and of an object.
            case .unexpectedCharacter where isAfterComma(error.offset, bytes): return
            default: break
            }
            // Foundation reads UTF-16 and UTF-32, too, which it tells by their zero bytes.
            guard !bytes.contains(0), !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
                return
            }
            if case .success(let tree) = theirs {
                throw BrokenRule(description: "what is refused here (\(error)) Foundation refuses, too: \(tree)")
            }
        }
    }

    /// What is JSON, and not too deep, means the same to the lenient reader, and so does what is JSON5. What it reads can
    /// be written; no token of it has a replaced byte in it.
    private static func readLeniently(_ bytes: [UInt8]) throws(BrokenRule) {
        switch Result(catching: { () throws(JSONError) in try JSONReader.lenient.read(bytes) }) {
        case .success(let value):
            if isFinite(value) { try roundTrip(value) }
            if let text = value.intactText {
                try BrokenRule.unless(!text.unicodeScalars.contains("\u{FFFD}"), "an intact text is intact")
            }
            for dialect in [JSONReader.Dialect.json, .json5] {
                let strict = try? JSONReader(dialect: dialect, maximumDepth: 24).read(bytes)
                try BrokenRule.unless(strict == nil || strict == value, "what is JSON means the same: \(value)")
            }
        case .failure(let error):
            let strict = try? JSONReader(dialect: .json5).read(bytes)
            try BrokenRule.unless(strict == nil, "the lenient reader takes what the strict one takes: \(error)")
            try BrokenRule.unless((0...bytes.count).contains(error.offset), "a fault is inside of the text: \(error)")
        }
        let saved = ProviderJSON.refreshToken(in: bytes)?.reveal()
        let isVisible = saved?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        try BrokenRule.unless(saved != "" && isVisible != false, "a refresh token that is saved is one")
    }

    /// What is JSON means the same in JSON5.
    static func readJSON5(_ bytes: [UInt8]) throws(BrokenRule) {
        let reader = JSONReader(dialect: .json5)
        let json = try? JSONReader().read(bytes)
        switch Result(catching: { () throws(JSONError) in try reader.read(bytes) }) {
        case .success(let value):
            if let json { try BrokenRule.unless(json == value, "JSON means the same in JSON5: \(json), \(value)") }
            if isFinite(value) { try roundTrip(value) }
        case .failure(let error):
            try BrokenRule.unless(json == nil, "JSON is JSON5: \(error)")
            try BrokenRule.unless((0...bytes.count).contains(error.offset), "a fault is inside of the text: \(error)")
            _ = error.position(in: bytes)
        }
    }

    private static func isAfterComma(_ offset: Int, _ bytes: [UInt8]) -> Bool {
        guard offset < bytes.count else { return false }
        let before = bytes[..<offset].last { !" \t\r\n".utf8.contains($0) }
        return "]}".utf8.contains(bytes[offset]) && before == UInt8(ascii: ",")
    }

    private static func roundTrip(_ value: JSONValue) throws(BrokenRule) {
        for text in [JSONWriter.bytes(value), Array(JSONWriter.pretty(value).utf8)] {
            let again = try BrokenRule.value("what is written can be read") { try JSONReader().read(text) }
            try BrokenRule.unless(again == value, "what is written is read as the same")
        }
        try BrokenRule.unless(!JSONWriter.bytes(value).contains(UInt8(ascii: "\n")), "a value is written as one line")
    }

    private static func isFinite(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let number): number.isFinite
        case .array(let elements): elements.allSatisfy(isFinite)
        case .object(let object): object.allSatisfy { isFinite($0.value) }
        default: true
        }
    }

    private static func hasDoublesAlone(_ value: JSONValue) -> Bool {
        switch value {
        // Of a number that is no zero and too small for a double Foundation says that it does not fit.
        case .number(let number):
            number.double.map { $0.isNormal || !number.text.contains { ("1"..."9").contains($0) } } ?? false
        case .array(let elements): elements.allSatisfy(hasDoublesAlone)
        case .object(let object): object.allSatisfy { hasDoublesAlone($0.value) }
        default: true
        }
    }
}

/// JSON as Foundation reads it.
private indirect enum DecodedTree: Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([DecodedTree])
    case object([String: DecodedTree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let array = try? container.decode([DecodedTree].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: DecodedTree].self))
        }
    }

    func isEqual(to value: JSONValue) -> Bool {
        switch (self, value) {
        case (.null, .null): true
        case (.bool(let bool), .bool(let other)): bool == other
        case (.number(let number), .number(let other)): number == other.double
        // Swift takes canonically equivalent texts for equal: the scalars decide.
        case (.string(let string), .string(let other)): string.utf8.elementsEqual(other.utf8)
        case (.array(let elements), .array(let others)):
            elements.count == others.count && zip(elements, others).allSatisfy { $0.isEqual(to: $1) }
        case (.object(let members), .object(let object)):
            // Names that are canonically equivalent are one key of a dictionary.
            members.count <= object.count
                && object.allSatisfy { member in
                    members.count < object.count || members[member.name]?.isEqual(to: member.value) == true
                }
        default: false
        }
    }
}
