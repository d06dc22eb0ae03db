// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

/// How long a source and what its handler holds live.
@Suite(.timeLimit(.minutes(1)))
struct EventSourceTests {
    private final class Held: Sendable {}

    @Test func `a source that cancels itself in its handler lets go of what it held`() async throws {
        let isGone = try await onOwnLoop { loop in
            var source: EventSource?
            weak var held: Held?
            do {
                let object = Held()
                held = object
                source = loop.addDefer {
                    source?.cancel()
                    source?.cancel()
                    withExtendedLifetime(object) { loop.exit() }
                }
            }
            #expect(held != nil)
            _ = try loop.run()
            return held == nil
        }
        #expect(isGone)
    }

    @Test func `the end of the object is the end of the source`() async throws {
        let fired = try await onOwnLoop { loop in
            var fired = false
            _ = loop.addTimer(at: .now, accuracy: .zero) { fired = true }
            let end = loop.addTimer(at: .now.advanced(by: .milliseconds(3)), accuracy: .zero) { loop.exit() }
            _ = try withExtendedLifetime(end) { try loop.run() }
            return fired
        }
        #expect(!fired)
    }

    @Test func `a source that ends on another thread is let go of on the loop's`() async {
        LoopThread.start()
        let threads = await withCheckedContinuation { continuation in
            Task { @LoopActor in
                let owner = Owner { continuation.resume(returning: $0) }
                // The last reference ends on a thread of the global executor.
                Task.detached { _ = owner }
            }
        }
        let loop = await Task { @LoopActor in pthread_self() }.value
        #expect(threads == loop)
    }
}

/// Owns a source whose handler owns a witness of its own end.
@LoopActor
private final class Owner {
    private var source: EventSource?

    init(ended: @escaping @Sendable (pthread_t) -> Void) {
        let witness = Witness(ended)
        source = EventLoop.main.addTimer(at: .now.advanced(by: .seconds(3600)), accuracy: .seconds(1)) {
            withExtendedLifetime(witness) {}
        }
    }
}

private final class Witness: Sendable {
    private let ended: @Sendable (pthread_t) -> Void

    init(_ ended: @escaping @Sendable (pthread_t) -> Void) {
        self.ended = ended
    }

    deinit {
        ended(pthread_self())
    }
}
