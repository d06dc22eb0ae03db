// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The daemon's thread as an isolation: `@LoopActor` code runs on `EventLoop.main`.
@globalActor package actor LoopActor {
    package static let shared = LoopActor()

    private init() {}

    /// The loop itself.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        EventLoop.main.asUnownedSerialExecutor()
    }

    /// Runs `operation` at once, for synchronous callbacks (of C libraries) on the loop's thread. Traps on any other.
    package nonisolated static func assumeIsolated<Value>(
        _ operation: @LoopActor () throws -> Value
    ) rethrows -> Value {
        EventLoop.main.preconditionOnLoop()
        // As in MainActor.assumeIsolated: the isolation is only part of the function's type, and holds here.
        return try withoutActuallyEscaping(operation) { operation throws -> Value in
            try unsafeBitCast(operation, to: (() throws -> Value).self)()
        }
    }
}
