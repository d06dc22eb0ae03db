// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// A system call that failed in the tests' own machinery.
package struct SystemCallError: Error, CustomStringConvertible {
    package let code: Int32
    package let operation: String

    /// Takes `errno` as it stands.
    package init(_ operation: String) { self.init(operation, code: errno) }

    /// An error with a code from elsewhere (`posix_spawn` returns its own).
    package init(_ operation: String, code: Int32) {
        self.code = code
        self.operation = operation
    }

    package var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
