// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// Reads the machine's journal, as far as this user may (sd-journal(3)).
package enum JournalReader {
    /// One entry: its time in unix seconds, and the requested fields that it has.
    package struct Entry: Sendable, Equatable {
        package var at: Int64
        package var fields: [String: String]
    }

    /// The newest matching entries, oldest first.
    ///
    /// - Parameters:
    ///   - matches: fields with their values; several values of one field are alternatives.
    ///   - names: the fields to read.
    ///   - since: unix seconds; nil: from the journal's beginning.
    ///   - limit: the greatest number of entries.
    /// - Throws: if there is no readable journal.
    package static func entries(
        matching matches: [(name: String, value: String)],
        reading names: [String],
        since: Int64?,
        limit: Int
    ) throws(SystemdError) -> [Entry] {
        var opened: OpaquePointer?
        try SystemdError.check(sd_journal_open(&opened, Int32(SD_JOURNAL_LOCAL_ONLY)), "open the journal")
        guard let journal = opened else { throw SystemdError(code: ENOMEM, operation: "open the journal") }
        defer { sd_journal_close(journal) }
        for match in matches {
            let text = "\(match.name)=\(match.value)"
            try SystemdError.check(sd_journal_add_match(journal, text, text.utf8.count), "search the journal")
        }
        try SystemdError.check(sd_journal_seek_tail(journal), "search the journal")
        var entries: [Entry] = []
        while entries.count < limit {
            let moved = sd_journal_previous(journal)
            try SystemdError.check(moved, "read the journal")
            guard moved > 0 else { break }
            var time: UInt64 = 0
            try SystemdError.check(sd_journal_get_realtime_usec(journal, &time), "read the journal")
            let at = Int64(clamping: time / 1_000_000)
            if let since, at < since { break }
            var fields: [String: String] = [:]
            for name in names { fields[name] = value(of: name, in: journal) }
            entries.append(Entry(at: at, fields: fields))
        }
        return entries.reversed()
    }

    private static func value(of name: String, in journal: OpaquePointer) -> String? {
        var data: UnsafeRawPointer?
        var count = 0
        guard sd_journal_get_data(journal, name, &data, &count) >= 0, let data else { return nil }
        let bytes = UnsafeRawBufferPointer(start: data, count: count).dropFirst(name.utf8.count + 1)
        return String(decoding: bytes, as: UTF8.self)
    }
}
