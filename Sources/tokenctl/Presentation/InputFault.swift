// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// Why a file or stdin could not be read.
package struct InputFault: Error, Sendable, Equatable {
    /// A few words, such as `Permission denied`.
    package let reason: String

    private init(_ reason: String) {
        self.reason = reason
    }

    /// All that a file holds, up to `limit` bytes; a pipe is accepted. `flags`: as open(2) has them.
    static func readAll(ofFile path: String, limit: Int, flags: Int32 = 0) throws(InputFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw system(errno) }
        defer { close(descriptor) }
        return try readAll(descriptor, limit: limit)
    }

    /// All that a descriptor, which stays the caller's, still has, up to `limit` bytes with those `ahead` of it.
    static func readAll(_ descriptor: Int32, limit: Int, after ahead: [UInt8] = []) throws(InputFault) -> [UInt8] {
        var bytes = ahead
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 || errno == EINTR else { throw system(errno) }
            bytes += chunk.prefix(max(0, count))
        }
        throw InputFault("it is longer than \(limit >> 10) KiB")
    }

    private static func system(_ number: Int32) -> InputFault {
        InputFault(strerror(number).map { String(cString: $0) } ?? "error \(number)")
    }
}

extension TokenctlError {
    /// Something could not be read; `what` says what, and from where.
    static func unreadable(_ what: String, _ fault: InputFault) -> TokenctlError {
        TokenctlError(.input, exitCode: ExitCode.noInput, "cannot read \(what): \(fault.reason)")
    }
}
