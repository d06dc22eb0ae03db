// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import HTTP
import Synchronization
import Systemd
import TestSupport
import Testing

/// What happens on the loop where another thread had the last reference.
@Suite(.timeLimit(.minutes(1))) struct LetGoElsewhereTests {
    /// What only the loop's thread touches: many watches over one pipe, each by a descriptor of its own.
    @LoopActor private final class Watches {
        private var pipe: [Int32] = [-1, -1]
        private var watches: [(descriptor: Int32, source: EventSource)] = []
        private let listener: Mutex<LoopbackListener?>

        init() throws {
            guard Glibc.pipe(&pipe) == 0 else { throw SystemCallError("pipe") }
            listener = Mutex(try LoopbackListener(addresses: [.v4]) { _, _ in })
        }

        /// Has another thread release the listener; what is opened here next gets the numbers of what that closes.
        func replaceListener(count: Int, readable: EventLog<Int>) throws {
            let gone = Bell()
            DetachedThread.run { [self] in
                listener.withLock { $0 = nil }
                gone.ring()
            }
            gone.wait()
            for index in 0..<count {
                let descriptor = dup(pipe[0])
                let source = try EventLoop.main.addDescriptor(descriptor, events: .readable) { [unowned self] _ in
                    LoopActor.assumeIsolated { watches[index].source.cancel() }
                    readable.append(index)
                }
                watches.append((descriptor, source))
            }
        }

        func makeReadable() { _ = write(pipe[1], [1], 1) }

        isolated deinit {
            for (descriptor, source) in watches {
                source.cancel()
                close(descriptor)
            }
            for end in pipe { close(end) }
        }
    }

    @Test func `a listener that another thread lets go of ends no watch over what opens next`() async throws {
        LoopThread.start
        let readable = EventLog<Int>()
        let watches = try await Watches()
        try await watches.replaceListener(count: 16, readable: readable)
        await watches.makeReadable()
        for index in 0..<16 {
            _ = try await readable.next("descriptor \(index)") { $0 == index }
        }
    }
}
