// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// The users that this process can distinguish (user_namespaces(7)).
enum UserNamespace {
    /// The kernel's uid for unmapped users (`/proc/sys/kernel/overflowuid`).
    private static let overflow: UInt32 = 65534

    /// Whether this uid stands for all users without a mapping.
    static func hides(_ uid: UInt32) -> Bool {
        uid == overflow && !isWhole
    }

    /// Whether every user has a uid: outside containers.
    private static var isWhole: Bool {
        let descriptor = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(descriptor, &bytes, bytes.count)
        let words = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split { " \n".contains($0) }
        return words == ["0", "0", "4294967295"]
    }
}
