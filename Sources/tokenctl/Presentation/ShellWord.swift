// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A word as a user can paste it into a shell. Pure.
package enum ShellWord {
    /// The word itself where the shell leaves it as it stands, else in single quotes. `plain`: what else than letters and
    /// digits needs none.
    package static func quoted(_ word: String, plain: String = "-_./:@%+=,") -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || plain.utf8.contains(byte)
        }
        return isPlain && !word.isEmpty ? word : inQuotes(word)
    }

    /// The word in single quotes, also where it needs none.
    package static func inQuotes(_ word: String) -> String {
        "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
