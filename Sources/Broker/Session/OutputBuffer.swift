// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Reply bytes that wait for their client, sent from the front.
struct OutputBuffer {
    private var bytes: [UInt8] = []
    private var sent = 0
    /// Whether the last `send` moved anything.
    private(set) var hasProgressed = false

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ line: [UInt8]) {
        if bytes.isEmpty { bytes = line } else { bytes += line }
    }

    /// Sends as much as the socket takes.
    ///
    /// - Returns: false where the connection is broken.
    mutating func send(to descriptor: Int32) -> Bool {
        hasProgressed = false
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    descriptor,
                    buffer.baseAddress?.advanced(by: sent),
                    buffer.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                )
            }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return false }
                compact()
                return true
            }
            hasProgressed = true
            sent += count
        }
        bytes.removeAll(keepingCapacity: bytes.capacity <= 64 * 1024)
        sent = 0
        return true
    }

    private mutating func compact() {
        guard sent > 64 * 1024 else { return }
        bytes.removeFirst(sent)
        sent = 0
    }
}
