// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSystemd
import Glibc

/// The log's output: to the journal with fields if stderr is connected to it, otherwise to stderr in lines that begin
/// with `<N>`, for the service manager and syslog.
package struct Journal: Sendable {
    /// The severity of a line (`syslog(3)`'s levels).
    package enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// The process cannot continue.
        case critical = 2
        /// Something failed.
        case error = 3
        /// A problem, but work continues.
        case warning = 4
        /// Rare and notable.
        case notice = 5
        /// Ordinary work.
        case info = 6
        /// For debugging.
        case debug = 7

        package static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
    }

    /// A named value beside the message, for example `TOKEND_ACCOUNT`.
    package typealias Field = (name: String, value: String)

    /// Whether lines go to the journal with their fields.
    package let isStructured: Bool
    private let standardError: Int32

    /// Checks `JOURNAL_STREAM` and `standardError`, which the caller keeps.
    package init(environment: [String: String], standardError: Int32 = STDERR_FILENO) {
        self.standardError = standardError
        isStructured = Self.isJournal(standardError, named: environment["JOURNAL_STREAM"])
    }

    /// Writes one entry, which may have several lines of text; a failure to write is ignored, since it cannot be
    /// reported.
    package func send(_ priority: Priority, _ message: String, _ fields: [Field] = []) {
        guard isStructured else {
            Self.write(Self.lines(priority, message), to: standardError)
            return
        }
        Self.send(Self.entry(priority, message, fields))
    }

    /// systemd's rule (`systemd.exec(5)`, `$JOURNAL_STREAM`): device and inode of the stream, separated by a colon.
    private static func isJournal(_ descriptor: Int32, named stream: String?) -> Bool {
        guard let stream else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The text for stderr: each line of the message with its own `<N>`.
    static func lines(_ priority: Priority, _ message: String) -> [UInt8] {
        var bytes: [UInt8] = []
        // Most messages are one line of ASCII.
        guard !message.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            bytes += "<\(priority.rawValue)>".utf8
            bytes += message.utf8
            bytes.append(0x0A)
            return bytes
        }
        for line in message.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            bytes += "<\(priority.rawValue)>".utf8
            bytes += line.utf8
            bytes.append(0x0A)
        }
        return bytes
    }

    /// The fields for the journal, each `NAME=value`; a value may hold any bytes.
    static func entry(_ priority: Priority, _ message: String, _ fields: [Field]) -> [[UInt8]] {
        let all: [Field] = [("MESSAGE", message), ("PRIORITY", "\(priority.rawValue)")] + fields
        return all.map { Array("\($0.name)=\($0.value)".utf8) }
    }

    private static func send(_ entry: [[UInt8]]) {
        // One buffer for all: the vectors point into it during the call.
        let bytes = Array(entry.joined())
        bytes.withUnsafeBytes { buffer in
            var start = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            let vectors = entry.map { field in
                defer { start = start.map { $0 + field.count } }
                return iovec(iov_base: start, iov_len: field.count)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            written += count
        }
    }
}
