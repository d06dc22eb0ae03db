// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Reply bytes that are not sent yet.
struct OutputBuffer {
    /// The result of one attempt to send.
    enum Sent {
        /// The socket is full, or all is sent; whether any bytes were sent.
        case moved(Bool)
        /// The connection is broken.
        case broken
    }

    /// Sent bytes are removed only in pieces of this size.
    private static let pieceSize = 64 * 1024
    /// A larger buffer is freed once it is empty: thousands of clients may have had one long reply each.
    private static let keptCapacity = 4096

    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ line: [UInt8]) {
        if bytes.isEmpty { bytes = line } else { bytes += line }
    }

    /// Appends a ready reply.
    mutating func append(_ reply: ReadyReply) {
        reply.append(to: &bytes)
    }

    /// Sends as much as the socket accepts.
    mutating func send(to descriptor: Int32) -> Sent {
        let before = sent
        while sent < bytes.count {
            let (count, code) = Self.send(bytes[sent...], to: descriptor)
            guard count < 0 else {
                sent += count
                continue
            }
            if code == EINTR { continue }
            guard code == EAGAIN else { return .broken }
            let hasMoved = sent > before
            compact()
            return .moved(hasMoved)
        }
        let hasMoved = sent > before
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
        sent = 0
        return .moved(hasMoved)
    }

    private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> (count: Int, code: Int32) {
        bytes.withUnsafeBytes { buffer in
            let count = Glibc.send(
                descriptor,
                buffer.baseAddress,
                buffer.count,
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            )
            return (count, errno)
        }
    }

    private mutating func compact() {
        guard sent > Self.pieceSize else { return }
        bytes.removeFirst(sent)
        sent = 0
    }
}
