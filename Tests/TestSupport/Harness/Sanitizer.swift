// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc

/// The sanitizer that the tests and the programs are built with, if they are: see docs/testing.md.
package enum Sanitizer: String, Sendable {
    case address = "ASAN_OPTIONS"
    case thread = "TSAN_OPTIONS"

    /// The one of this build.
    package static let current: Sanitizer? = {
        if dlsym(nil, "__asan_init") != nil { return .address }
        return dlsym(nil, "__tsan_init") == nil ? nil : .thread
    }()

    /// What it was told, as the variable that tells it: for the programs that the tests start, whatever their
    /// environment is.
    package static let environment: [String: String] = {
        guard let name = current?.rawValue, let options = ProcessInfo.processInfo.environment[name] else { return [:] }
        return [name: options]
    }()

    /// The folder that it leaves its reports in; nil where it was told of none.
    package static let reportFolder: String? = {
        let options = environment.values.flatMap { $0.split(separator: ":") }
        guard let path = options.first(where: { $0.hasPrefix("log_path=/") })?.dropFirst("log_path=".count) else {
            return nil
        }
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }()
}
