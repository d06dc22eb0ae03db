// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// What libsystemd or the kernel refused: the errno, what was being done, and a sentence.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    /// The errno value, always positive.
    package let code: Int32
    /// What was being done, for example `add a timer`.
    package let operation: String
    /// One sentence; never holds a secret.
    package let message: String
    /// The D-Bus error's own name, when it came from a peer or the bus.
    package let busName: String?

    /// An error of `operation`; without a `message` the system's own words for `code` are used.
    package init(code: Int32, operation: String, message: String? = nil, busName: String? = nil) {
        self.code = abs(code)
        self.operation = operation
        self.busName = busName
        self.message = message ?? "cannot \(operation): \(String(cString: strerror(abs(code))))"
    }

    package var description: String { message }

    /// libsystemd's convention: a negative result is an errno.
    @discardableResult
    static func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemdError) -> Int32 {
        guard result < 0 else { return result }
        throw SystemdError(code: -result, operation: operation())
    }

    /// The C library's convention: -1 and `errno`. Nothing may run between the call and this.
    @discardableResult
    static func checkErrno(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemdError) -> Int32 {
        let code = errno
        guard result < 0 else { return result }
        throw SystemdError(code: code, operation: operation())
    }
}
