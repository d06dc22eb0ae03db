// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The reading itself: a recursive descent over a buffer, one place ahead.
///
/// The functions right below the state are the only ways to the memory, and each checks its bounds, so a mistake elsewhere in
/// the parser can be a wrong answer but never a read outside the buffer.
struct JSONParser {
    private let bytes: UnsafeRawBufferPointer
    let isJSON5: Bool
    let isLenient: Bool
    private let maximumDepth: Int
    /// The next byte to look at.
    var position = 0
    private var depth = 0

    init(bytes: UnsafeRawBufferPointer, dialect: JSONReader.Dialect, maximumDepth: Int) {
        self.bytes = bytes
        isJSON5 = dialect != .json
        isLenient = dialect == .lenient
        self.maximumDepth = maximumDepth
    }

    var count: Int {
        bytes.count
    }

    /// The byte at this offset, or 0 beyond the end (a NUL has no place in the grammar, so most callers need not
    /// tell the two apart).
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        UInt(bitPattern: offset) < UInt(bitPattern: bytes.count) ? bytes[offset] : 0
    }

    /// How many bytes from this offset on, in steps of eight, surely belong to a string in double quotes.
    @inline(__always)
    func plainLength(from offset: Int) -> Int {
        var end = offset
        while let eight = EightBytes(bytes, at: end), eight.arePlain {
            end += 8
        }
        return end - offset
    }

    /// The text of a range; what is not UTF-8 in it, which only the lenient dialect lets pass, becomes U+FFFD.
    @inline(__always)
    func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<bytes.count)]), as: UTF8.self)
    }

    /// The bytes of a range, for a string that must be put together.
    func copy(_ range: Range<Int>) -> [UInt8] {
        Array(bytes[range.clamped(to: 0..<bytes.count)])
    }

    mutating func document() throws(JSONError) -> JSONValue {
        guard bytes.count <= Int(UInt32.max) else {
            throw JSONError(code: .tooLong, message: "the text is longer than 4 GiB", offset: 0)
        }
        try skipSpace()
        let value = try value()
        guard !isLenient else { return value }
        try skipSpace()
        guard position == count else {
            throw unexpected(expected: "the end of the text")
        }
        return value
    }

    mutating func value() throws(JSONError) -> JSONValue {
        switch byte(position) {
        case UInt8(ascii: "\""):
            return .string(try string(quote: UInt8(ascii: "\"")))
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return try nested()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try isJSON5 ? number5() : number())
        case UInt8(ascii: "t"):
            try literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        default:
            return try otherValue()
        }
    }

    /// A list or an object; one that lies too deep is null in the lenient dialect.
    private mutating func nested() throws(JSONError) -> JSONValue {
        guard isLenient, depth >= maximumDepth else {
            return byte(position) == UInt8(ascii: "{") ? .object(try object()) : .array(try array())
        }
        try skipNested()
        return .null
    }

    /// Moves past a list or an object without a frame of the stack for each level.
    private mutating func skipNested() throws(JSONError) {
        var open = 0
        repeat {
            switch byte(position) {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                _ = try string(quote: byte(position))
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1
            default:
                guard position < count else { throw unexpected(expected: "a closing bracket") }
            }
            position += 1
        } while open > 0
    }

    /// The values that JSON5 adds.
    private mutating func otherValue() throws(JSONError) -> JSONValue {
        guard isJSON5 else {
            throw unexpected(expected: "a value")
        }
        switch byte(position) {
        case UInt8(ascii: "'"):
            return .string(try string(quote: UInt8(ascii: "'")))
        case UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "I"), UInt8(ascii: "N"):
            return .number(try number5())
        default:
            throw unexpected(expected: "a value")
        }
    }

    /// Moves past a word that must stand here.
    mutating func literal(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard byte(position + index) == word.utf8Start[index] else {
                position += index
                throw unexpected(expected: "the word \(word)")
            }
        }
        position += word.utf8CodeUnitCount
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try open()
        var elements: [JSONValue] = []
        try skipSpace()
        while !close(UInt8(ascii: "]"), afterComma: !elements.isEmpty) {
            elements.append(try value())
            try skipSpace()
            guard try separator(before: UInt8(ascii: "]"), called: "',' or ']'") else { break }
        }
        depth -= 1
        return elements
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try open()
        var members = MemberList()
        try skipSpace()
        while !close(UInt8(ascii: "}"), afterComma: !members.isEmpty) {
            let nameStart = position
            let name = try name()
            let nameEnd = position
            let earlier = members.index(of: name)
            guard earlier == nil || isLenient else {
                throw doubled(name, at: nameStart)
            }
            try skipSpace()
            guard byte(position) == UInt8(ascii: ":") else {
                throw unexpected(expected: "':' after a name")
            }
            position += 1
            try skipSpace()
            let valueStart = position
            let value = try value()
            members.put(
                JSONObject.Member(
                    name: name,
                    nameRange: nameStart..<nameEnd,
                    value: value,
                    valueRange: valueStart..<position
                ),
                at: earlier
            )
            try skipSpace()
            guard try separator(before: UInt8(ascii: "}"), called: "',' or '}'") else { break }
        }
        depth -= 1
        return JSONObject(checked: members.members)
    }

    /// Enters a list or an object.
    private mutating func open() throws(JSONError) {
        guard depth < maximumDepth else {
            throw JSONError(
                code: .tooDeep,
                message: "lists and objects nest deeper than \(maximumDepth) levels",
                offset: position
            )
        }
        depth += 1
        position += 1
    }

    /// Moves past the closing bracket where it may stand: right after the opening one, or, in JSON5, after a comma.
    private mutating func close(_ bracket: UInt8, afterComma: Bool) -> Bool {
        guard byte(position) == bracket, !afterComma || isJSON5 else { return false }
        position += 1
        return true
    }

    /// Moves past a comma and what space follows it (true), or past the closing bracket (false).
    private mutating func separator(before bracket: UInt8, called: String) throws(JSONError) -> Bool {
        switch byte(position) {
        case UInt8(ascii: ","):
            position += 1
            try skipSpace()
            return true
        case bracket:
            position += 1
            return false
        default:
            throw unexpected(expected: called)
        }
    }

    private mutating func name() throws(JSONError) -> String {
        switch byte(position) {
        case UInt8(ascii: "\""): return try string(quote: UInt8(ascii: "\""))
        case UInt8(ascii: "'") where isJSON5: return try string(quote: UInt8(ascii: "'"))
        case _ where isJSON5: return try identifier()
        default: throw unexpected(expected: "a name in double quotes")
        }
    }
}
