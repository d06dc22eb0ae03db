// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

/// One case of a public test suite: its name there and the bytes to read.
struct SuiteCase: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String {
        name
    }

    /// Reads a table with a case a line: the name, a space, and the bytes, of which `<XX>` is one in hexadecimal.
    static func table(_ text: String) -> [SuiteCase] {
        text.split(separator: "\n").map { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return SuiteCase(name: String(parts[0]), bytes: parts.count > 1 ? unescape(parts[1]) : [])
        }
    }

    private static func unescape(_ text: Substring) -> [UInt8] {
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "<") else {
                bytes.append(first)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard let byte = UInt8(digits, radix: 16) else {
                preconditionFailure("A case's table holds '<' that does not start <XX>: \(text)")
            }
            bytes.append(byte)
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}
