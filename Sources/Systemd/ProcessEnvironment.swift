// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

@preconcurrency import Glibc

/// The environment of this process (environ(7)).
package enum ProcessEnvironment {
    /// The current variables; the first value of a doubled name counts, as in getenv(3).
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var list = environ
        while let entry = list.pointee {
            let text = String(cString: entry)
            if let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(text[..<end])
                if variables[name] == nil { variables[name] = String(text[text.utf8.index(after: end)...]) }
            }
            list += 1
        }
        return variables
    }
}
