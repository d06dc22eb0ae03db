// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why the secret store failed; the message says what failed and what to do next.
package struct KeyringError: Error, CustomStringConvertible {
    /// What it means for the caller.
    package enum Code: Sendable {
        /// Locked: nothing is known about the items until a user unlocks it.
        case locked
        /// No provider: nothing is known about the items. If a provider ended during a store or a removal, that may
        /// have happened or not.
        case unavailable
        /// A prompt was closed without the password, or could not be shown.
        case dismissed
        /// No answer in time. A store or a removal may have happened or not.
        case timedOut
        /// Anything else.
        case failed
    }

    package let code: Code
    /// One or two sentences for users, without secrets.
    package let message: String
    /// The GLib error, if there was one.
    package let underlying: (any Error)?
    /// The store's program, if the user has to act in it.
    package let provider: String?

    package init(code: Code, message: String, underlying: (any Error)? = nil, provider: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
        self.provider = provider
    }

    package var description: String { message }
}
