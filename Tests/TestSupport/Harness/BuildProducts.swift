// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// Where the programs, their package and the sources lie.
package enum BuildProducts {
    /// The folder of the programs that are shipped: `TOKEND_TEST_BIN`, which `scripts/test` has from the package; without
    /// it, those that were built with the tests.
    package static let shippedFolder = variable("TOKEND_TEST_BIN") ?? folder

    /// `PATH` entries of all programs, the shipped ones first.
    package static let searchPath = shippedFolder == folder ? folder : "\(shippedFolder):\(folder)"

    /// What `scripts/package` makes.
    private static let shipped: Set = ["tokend", "tokenctl"]

    /// Where the running test bundle was built, with the programs that only tests use.
    package static let folder: String = {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    }()

    /// The project's top folder.
    package static let source: String = {
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/")
    }()

    /// The Debian package, `TOKEND_TEST_PACKAGE`; throws where the tests were given none.
    package static func package() throws -> String {
        guard let path = variable("TOKEND_TEST_PACKAGE") else { throw MissingPrerequisite("the package") }
        return path
    }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// The path of a program; throws where it has not been built.
    package static func program(_ name: String) throws -> String {
        let path = "\(shipped.contains(name) ? shippedFolder : folder)/\(name)"
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
