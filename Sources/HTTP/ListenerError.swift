// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why a loopback listener could not be opened.
package struct ListenerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason.
    package enum Code: Sendable, Hashable {
        /// Another program listens on the port.
        case portTaken
        /// The port requires privileges that the daemon does not have.
        case notPermitted
        /// This machine has no such address (IPv6 is off, or IPv4).
        case noAddress
        /// Anything else: memory, descriptors.
        case failed
    }

    package let code: Code

    /// A sentence that names address and port.
    package let message: String

    /// The errno, or 0.
    package let underlying: Int32

    package var description: String { message }
}
