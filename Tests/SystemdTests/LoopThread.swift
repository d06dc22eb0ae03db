// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

/// A thread of its own for `EventLoop.main`, so that `@LoopActor` code runs in a test as it does in the daemon.
///
/// `LoopThread.start()` may be called as often as one likes, from any test and any target of the same test
/// process: the first thread that takes the loop keeps it until the process ends.
enum LoopThread {
    private static let started: Void = {
        spawn {
            // Refused with EBUSY when another starter was first: then its thread serves the loop.
            _ = try? EventLoop.main.run()
        }
    }()

    static func start() {
        started
    }

    /// Runs `body` on a new, detached thread.
    static func spawn(_ body: @escaping @Sendable () -> Void) {
        pthread_detach(spawn(joinable: body))
    }

    /// Runs `body` on a new thread, which the caller joins.
    static func spawn(joinable body: @escaping @Sendable () -> Void) -> pthread_t {
        let context = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context.toOpaque()
        )
        precondition(result == 0, "Cannot start a thread: \(result)")
        return thread
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}

/// Starts the loop's thread before a suite or a test, which may then be (or have functions that are) `@LoopActor`.
struct OnLoopTrait: SuiteTrait, TestTrait {
    func prepare(for test: Test) async throws {
        LoopThread.start()
    }
}

extension Trait where Self == OnLoopTrait {
    /// Starts the loop's thread first.
    static var onLoop: OnLoopTrait { OnLoopTrait() }
}

/// Runs `body` on a thread of its own that has a loop of its own, and hands over what it returns.
func onOwnLoop<Value: Sendable>(
    _ body: @escaping @Sendable (EventLoop) throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        LoopThread.spawn {
            continuation.resume(with: Result { try body(EventLoop()) })
        }
    }
}
