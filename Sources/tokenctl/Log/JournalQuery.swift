// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TokenClient

/// What `journalctl` is asked for and what it answers: libsystemd, which would read the journal too, is not linked into a
/// static program. Pure.
package struct JournalQuery {
    /// Unix seconds; nil: from the journal's beginning.
    private let since: Int64?
    /// The user whose daemon's entries are wanted.
    private let uid: UInt32

    package init(since: Int64?, uid: UInt32) {
        self.since = since
        self.uid = uid
    }

    private static let most = 10_000

    /// The arguments of `journalctl`: the newest entries, oldest first, an object a line.
    package var arguments: [String] {
        [
            "--quiet", "--no-pager", "--output=json", "--output-fields=\(LogEntry.fields.joined(separator: ","))",
            "--lines=\(Self.most)",
        ] + (since.map { ["--since=@\($0)"] } ?? []) + [
            "_UID=\(uid)", "_COMM=tokend", "TOKEND_EVENT=token_served", "TOKEND_EVENT=refused",
        ]
    }

    /// The entries of its output; what is no entry of ours is passed over.
    package static func entries(_ output: [UInt8]) -> [LogEntry] {
        output.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let object = (try? JSONReader.lenient.read(Array(line)))?.object,
                let time = object["__REALTIME_TIMESTAMP"]?.string.flatMap({ Int64($0) })
            else { return nil }
            let fields = LogEntry.fields.reduce(into: [:]) { $0[$1] = text(object[$1]) }
            return LogEntry(at: time / 1_000_000, fields)
        }
    }

    /// A field's text: a list of numbers is bytes that are no plain text, any other list has the values of a field that
    /// was given more than once.
    private static func text(_ value: JSONValue?) -> String? {
        guard let list = value?.array else { return value?.string }
        let bytes = list.compactMap { $0.int64.flatMap { UInt8(exactly: $0) } }
        return bytes.isEmpty ? list.first?.string : String(decoding: bytes, as: UTF8.self)
    }
}
