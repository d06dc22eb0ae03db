// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Reads one JSON or JSON5 value from UTF-8 bytes, and nothing that is not one to the letter.
///
/// JSON is RFC 8259; beyond it, what the RFC leaves open is refused: a name given twice in an object (also where
/// escapes spell it differently), bytes that are not UTF-8, a byte order mark, half a surrogate pair, and nesting
/// beyond `maximumDepth`. So is a longer run of combining marks than `MarkRun` allows. JSON5 (spec.json5.org, for files that people write) adds its comments, trailing commas,
/// bare and single-quoted names, numbers and white space under the same rules.
///
/// The lenient dialect is for what others' servers send and nobody here can correct. It takes whatever JSON5 takes, and
/// more: of members with one name the last counts, what is not UTF-8 (and half a surrogate pair) is U+FFFD in its
/// string, a string may hold control characters, of a long run of combining marks the end is left out, a value that lies too deep is null, and what follows the value is
/// passed over.
///
/// No input makes the reader trap, and its time is proportional to the input's length.
package struct JSONReader: Sendable {
    /// Which language is read.
    package enum Dialect: Sendable {
        /// RFC 8259.
        case json
        /// JSON5 1.0, for files only.
        case json5
        /// JSON as servers write it that do not write JSON.
        case lenient
    }

    /// For what a server sends. Its depth leaves room for what is kept of the value to be stored and sent on.
    package static let lenient = JSONReader(dialect: .lenient, maximumDepth: 24)

    /// Which language is read.
    package let dialect: Dialect
    /// How many lists and objects may be open at once.
    package let maximumDepth: Int

    /// More than this does not fit every thread's stack.
    private static let greatestDepth = 512

    /// A reader; a depth beyond 512 is taken for 512.
    package init(dialect: Dialect = .json, maximumDepth: Int = 32) {
        self.dialect = dialect
        self.maximumDepth = min(maximumDepth, Self.greatestDepth)
    }

    /// Reads the value that these bytes hold; only white space (and comments, in JSON5) may surround it.
    package func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, dialect: dialect, maximumDepth: maximumDepth)
        return try parser.document()
    }

    /// Reads the value that these bytes hold.
    package func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBytes { buffer in
            Result { () throws(JSONError) in try read(buffer) }
        }
        return try result.get()
    }

    /// Reads the value that this text holds; offsets count its UTF-8 bytes.
    package func read(_ text: String) throws(JSONError) -> JSONValue {
        var text = text
        let result: Result<JSONValue, JSONError> = text.withUTF8 { buffer in
            Result { () throws(JSONError) in try read(UnsafeRawBufferPointer(buffer)) }
        }
        return try result.get()
    }
}
