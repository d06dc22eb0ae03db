// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import TokenClient

/// Moves bytes between us and a program until it has closed its ends.
struct PipePump {
    private let input: Pipe
    private var pending: ArraySlice<UInt8>
    private let sources: [Pipe]
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)

    /// `pending` goes to `input`, which is closed after it. Of the sources an earlier one is read before a later one.
    init(input: Pipe, pending: ArraySlice<UInt8>, sources: [Pipe]) {
        self.input = input
        self.pending = pending
        self.sources = sources
        for end in [input.writeEnd] + sources.map(\.readEnd) { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// False where the deadline came first.
    mutating func run(until deadline: Deadline?, receive: (Int, ArraySlice<UInt8>) -> Void) -> Bool {
        if pending.isEmpty { input.closeWriteEnd() }
        while sources.contains(where: { $0.readEnd >= 0 }) {
            var waiting = sources.map { pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0) }
            waiting.append(pollfd(fd: input.writeEnd, events: Int16(POLLOUT), revents: 0))
            let count = poll(&waiting, nfds_t(waiting.count), deadline?.pollTimeout ?? -1)
            if count == 0 { return false }
            if waiting[sources.count].revents != 0 { feed() }
            for index in sources.indices where waiting[index].revents != 0 {
                // A byte that was written before this one may have come after its own pipe was looked at.
                for earlier in 0..<index { read(earlier, receive) }
                read(index, receive)
            }
        }
        return true
    }

    private mutating func feed() {
        let count = pending.withUnsafeBytes { write(input.writeEnd, $0.baseAddress, $0.count) }
        if count > 0 { pending = pending.dropFirst(count) }
        let hasFailed = count < 0 && errno != EAGAIN && errno != EINTR
        if hasFailed || pending.isEmpty { input.closeWriteEnd() }
    }

    private mutating func read(_ index: Int, _ receive: (Int, ArraySlice<UInt8>) -> Void) {
        while sources[index].readEnd >= 0 {
            let count = Glibc.read(sources[index].readEnd, &chunk, chunk.count)
            if count > 0 {
                receive(index, chunk[..<count])
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                sources[index].closeReadEnd()
            } else if errno == EAGAIN {
                return
            }
        }
    }
}
