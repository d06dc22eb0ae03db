// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The variables that a program is started with: ours, byte for byte as they came, and what is put among them.
package struct ProgramVariables: Sendable, ExpressibleByDictionaryLiteral {
    /// `NAME=VALUE` each.
    package private(set) var entries: [SystemText]

    /// These, in their order.
    package init(_ entries: [SystemText]) {
        self.entries = entries
    }

    /// These, as texts.
    package init(_ texts: [String: String]) {
        entries = texts.map { SystemText("\($0.key)=\($0.value)") }
    }

    /// These, as texts.
    package init(dictionaryLiteral elements: (String, String)...) {
        entries = elements.map { SystemText("\($0.0)=\($0.1)") }
    }

    /// For our own reading: names with their values, what is no UTF-8 in them replaced. Of a name that is there twice the
    /// first counts, as for getenv(3).
    package var texts: [String: String] {
        let pairs = entries.compactMap { entry -> (String, String)? in
            guard let sign = entry.bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (name, value) = (entry.bytes[..<sign], entry.bytes[(sign + 1)...])
            return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The bytes of a variable's value; nil where there is none of that name.
    package subscript(name: String) -> [UInt8]? {
        let begin = Array("\(name)=".utf8)
        return entries.first { $0.bytes.starts(with: begin) }.map { Array($0.bytes.dropFirst(begin.count)) }
    }

    /// Puts a variable there, in place of what has its name.
    package mutating func set(_ name: String, to value: String) {
        let begin = Array("\(name)=".utf8)
        entries.removeAll { $0.bytes.starts(with: begin) }
        entries.append(SystemText("\(name)=\(value)"))
    }

    /// The path of a program by `PATH`; a name with a slash stands for itself.
    package func path(of program: SystemText) -> SystemText? {
        let slash = UInt8(ascii: "/")
        guard !program.bytes.contains(slash) else { return Self.isExecutable(program) ? program : nil }
        return (self["PATH"] ?? []).split(separator: UInt8(ascii: ":")).filter { $0.first == slash }
            .lazy.map { SystemText(bytes: $0 + [slash] + program.bytes) }.first(where: Self.isExecutable)
    }

    private static func isExecutable(_ path: SystemText) -> Bool {
        let list = CStrings([path])
        return list.pointers[0].map { access($0, X_OK) == 0 } ?? false
    }
}
