// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Synchronization

/// Reserved descriptors for work that must not fail, or that aborts the process without one, as GLib's does
/// (`g_wakeup_new`). For one thread.
package final class DescriptorReserve {
    private let size: Int
    private var kept: [Int32] = []

    /// Reserves this many from now on, or as many as there are.
    package init(_ size: Int) {
        self.size = size
        fill()
    }

    deinit { letGo() }

    /// Lends them to `body`, and reserves them again afterwards, except for those that were taken meanwhile.
    ///
    /// - Parameter least: how many it needs.
    /// - Returns: nil if the process has used up its descriptors, these included: `body` has not run.
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

    /// Whether one of this process's reserves is lent now: free descriptors may belong to it.
    package static var isAnyLent: Bool { lent.load(ordering: .sequentiallyConsistent) > 0 }

    private static let lent = Atomic(0)

    /// Whether this process could open this many more. It checks the numbers without opening any, so that a borrower
    /// does not miss them.
    package static func areFree(_ count: Int) -> Bool {
        var missing = count
        // The kernel assigns the lowest free number.
        var number = limit
        while missing > 0, number > 0 {
            number -= 1
            if fcntl(Int32(clamping: number), F_GETFD) < 0 { missing -= 1 }
        }
        return missing <= 0
    }

    /// The process's descriptor limit.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    private func fill() {
        // A closed descriptor above a lowered limit could not be opened again.
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
