// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A token, code, verifier, password or key on its way through the daemon: text or bytes that must not
/// be printed.
///
/// Nothing that describes it (interpolation, `String(reflecting:)`, `dump`, a crash's mirror) shows a
/// byte of it; it is not `Codable`; its one copy of the bytes is shared by all values made from it and
/// wiped when the last of them goes. Two secrets are compared in a time that depends on their lengths
/// alone. What cannot be promised: a `String` that a secret is made from, or is revealed as, belongs to
/// the caller and is freed unwiped.
package struct Secret: Sendable {
    private let bytes: SecretBytes

    /// Takes a copy of the text's UTF-8 bytes.
    package init(_ text: String) {
        var text = text
        bytes = text.withUTF8 { utf8 in SecretBytes(UnsafeRawBufferPointer(utf8)) }
    }

    /// Takes a copy of the bytes; the caller's array stays as it is.
    package init(bytes: [UInt8]) {
        self.bytes = bytes.withUnsafeBytes { buffer in SecretBytes(buffer) }
    }

    /// Fills a new secret in place, so that no unwiped copy arises on the way.
    ///
    /// `fill` gets `capacity` zeroed bytes and returns how many of them, from the front, are the secret.
    package init<Failure: Error>(
        capacity: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        bytes = try SecretBytes(capacity: capacity, fill: fill)
    }

    /// Whether there is nothing in it.
    package var isEmpty: Bool { bytes.used.isEmpty }

    /// Its length in bytes.
    package var count: Int { bytes.used.count }

    /// Lends the bytes for the time of the call; the pointer must not outlive it.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(bytes) {} }
        return try body(bytes.used)
    }

    /// The text itself: the one door by which it leaves as a `String`, kept few and easy to search for.
    ///
    /// Bytes that are not UTF-8 come out as U+FFFD.
    package func reveal() -> String {
        withUnsafeBytes { buffer in String(decoding: buffer, as: UTF8.self) }
    }
}

extension Secret: Hashable {
    /// Compares in a time that depends on the two lengths alone.
    package static func == (left: Secret, right: Secret) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { rightBytes in equalInConstantTime(leftBytes, rightBytes) }
        }
    }

    /// Feeds the bytes to the hasher, whose seed is random in each process.
    package func hash(into hasher: inout Hasher) {
        withUnsafeBytes { buffer in hasher.combine(bytes: buffer) }
    }

    /// Not inlined, so that no caller's knowledge of the bytes turns the loop into an early exit.
    @inline(never)
    private static func equalInConstantTime(
        _ left: UnsafeRawBufferPointer,
        _ right: UnsafeRawBufferPointer
    ) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<left.count {
            difference |= left[index] ^ right[index]
        }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    package var description: String { "<secret>" }

    /// Always the same words.
    package var debugDescription: String { "<secret>" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
