// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// Descriptors that are held for work that must not fail, or that ends the process where it gets none, as GLib's does
/// (`g_wakeup_new`). For one thread.
package final class DescriptorReserve {
    private let size: Int
    private var kept: [Int32] = []

    /// Holds so many from now on, or as many as there are.
    package init(_ size: Int) {
        self.size = size
        fill()
    }

    deinit { letGo() }

    /// Lets `body` use them, and holds them again afterwards: those that were not taken by others meanwhile.
    ///
    /// - Parameter least: how many it needs.
    /// - Returns: nil where the process has used up its descriptors, these included: `body` has not run.
    package func lend<Value, Failure: Error>(
        atLeast least: Int,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        fill()
        guard kept.count >= least else { return nil }
        Self.lent.add(1, ordering: .sequentiallyConsistent)
        letGo()
        defer {
            fill()
            Self.lent.subtract(1, ordering: .sequentiallyConsistent)
        }
        return try body()
    }

    /// Whether one of this process's reserves is lent out just now: what seems to be free may be its.
    package static var isAnyLent: Bool { lent.load(ordering: .sequentiallyConsistent) > 0 }

    private static let lent = Atomic(0)

    /// Whether this process could have so many more. It looks at the numbers and takes none: who is lent some would miss
    /// them meanwhile.
    package static func areFree(_ count: Int) -> Bool {
        var missing = count
        // The kernel gives the lowest number that is free.
        var number = limit
        while missing > 0, number > 0 {
            number -= 1
            if fcntl(Int32(clamping: number), F_GETFD) < 0 { missing -= 1 }
        }
        return missing <= 0
    }

    /// How many this process may have.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    private func fill() {
        // One above a limit that was lowered would not come again.
        let limit = Self.limit
        kept.removeAll { descriptor in
            guard descriptor >= limit else { return false }
            close(descriptor)
            return true
        }
        while kept.count < size {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            kept.append(descriptor)
        }
    }

    private func letGo() {
        kept.forEach { close($0) }
        kept = []
    }
}
