// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

internal import Glibc

/// A thread that tests hand a blocking call to, so that no thread of Swift's own pool is held by it.
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts `body` on a thread of its own; nobody joins it. A machine without room for a thread traps.
    package static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        let failure = pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            argument
        )
        precondition(failure == 0, "no thread for a test: errno \(failure)")
        pthread_detach(thread)
    }
}
