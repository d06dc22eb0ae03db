// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A failed call of libsystemd or the kernel: the errno, the operation, and a sentence.
package struct SystemdError: Error, Equatable, CustomStringConvertible {
    /// The errno value, always positive.
    package let code: Int32
    /// The operation, for example `add a timer`.
    package let operation: String
    /// One sentence; never holds a secret.
    package let message: String
    /// The D-Bus error's own name, if it came from a peer or the bus.
    package let busName: String?

    /// An error of `operation`; the default `message` is the system's text for `code`.
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

    /// The C library's convention: -1 and `errno`. Call it immediately after the failing call.
    @discardableResult
    static func checkErrno(_ result: Int32, _ operation: @autoclosure () -> String) throws(SystemdError) -> Int32 {
        let code = errno
        guard result < 0 else { return result }
        throw SystemdError(code: code, operation: operation())
    }
}
