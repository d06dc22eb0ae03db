// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why the secret store did not do what it was asked; the message says what failed and what to do next.
package struct KeyringError: Error, CustomStringConvertible {
    /// What the caller can make of it.
    package enum Code: Sendable {
        /// Locked: nothing can be said about the items until a user unlocks it.
        case locked
        /// No provider: nothing can be said about the items. A provider that ended in the middle of a
        /// store or a removal may have done it or not.
        case unavailable
        /// A prompt was closed without the password, or could not be shown.
        case dismissed
        /// No answer in time. A store or a removal that ended so may have happened or not.
        case timedOut
        /// Anything else.
        case failed
    }

    package let code: Code
    /// One or two sentences for people; no secret in it.
    package let message: String
    /// The GLib error, if one was behind it.
    package let underlying: (any Error)?
    /// The program that provides the store, where something has to be done in it.
    package let provider: String?

    package init(code: Code, message: String, underlying: (any Error)? = nil, provider: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.provider = provider
    }

    package var description: String { message }
}
