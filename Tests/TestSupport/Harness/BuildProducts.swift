// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// Where the built programs and the sources lie.
package enum BuildProducts {
    /// The folder of the programs: `TOKEND_TEST_BIN`, or where the running test bundle itself was built.
    package static let folder: String = {
        if let given = ProcessInfo.processInfo.environment["TOKEND_TEST_BIN"] { return given }
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }()

    /// The project's top folder.
    package static let source: String = {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/")
    }()

    /// The path of a built program; throws where it has not been built.
    package static func program(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard access(path, X_OK) == 0 else {
            throw MissingPrerequisite("the program \(path)", mend: "swift build --build-tests")
        }
        return path
    }
}

/// Something that a test needs and this machine lacks. The test fails and says so: it is not skipped.
package struct MissingPrerequisite: Error, CustomStringConvertible {
    package let description: String

    /// Names what is missing and how to get it.
    package init(_ what: String, mend: String = "scripts/test") {
        description = "missing: \(what). Run \(mend), which provides it."
    }

    /// Throws unless `path` is there and can be executed.
    package static func require(program path: String) throws {
        guard access(path, X_OK) == 0 else { throw MissingPrerequisite(path) }
    }
}
