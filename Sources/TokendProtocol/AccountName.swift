// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The rule for an account's name, which is also the name of its file: `[A-Za-z0-9][A-Za-z0-9._@-]{0,63}`.
package enum AccountName {
    /// Whether `name` can be an account's name.
    package static func isValid(_ name: String) -> Bool {
        let bytes = name.utf8
        guard bytes.count <= 64, let first = bytes.first, isAlphanumeric(first) else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || "._@-".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
