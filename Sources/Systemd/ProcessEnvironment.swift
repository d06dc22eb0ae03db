// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

@preconcurrency import Glibc

/// The variables that this process was started with (environ(7)).
package enum ProcessEnvironment {
    /// All of them, as they are now; of a name that stands there twice the first one counts, as for getenv(3).
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
