// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials

/// The Python environment that `scripts/test` makes, with what Debian does not package.
package enum TestVenv {
    /// `TOKEND_TEST_VENV`, or `.build/venv`.
    package static var folder: String {
        ProcessInfo.processInfo.environment["TOKEND_TEST_VENV"] ?? BuildProducts.source + "/.build/venv"
    }

    /// The path of a program in it; throws where it is not installed.
    package static func program(_ name: String) throws -> String {
        let path = "\(folder)/bin/\(name)"
        try MissingPrerequisite.require(program: path)
        return path
    }
}
