// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Testing

/// A part of the system that a thread can have for itself, if it may (root can).
enum Namespace: Int32 {
    case mounts = 0x0002_0000
    case network = 0x4000_0000

    /// Whether `enter` can work.
    static var isPermitted: Bool { geteuid() == 0 }

    /// Parts the calling thread, and those that it starts, from the rest of the system.
    func enter() throws {
        // Swift's Glibc does not show `unshare`.
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
        try #require(unshare(rawValue) == 0)
    }
}
