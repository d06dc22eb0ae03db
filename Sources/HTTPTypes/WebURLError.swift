// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Why a text is not an accepted URL.
package struct WebURLError: Error, Sendable, Hashable {
    /// The part that is wrong.
    package enum Code: String, Sendable, Hashable {
        /// A byte that is invalid in URLs, or a `%` without two hexadecimal digits.
        case character
        /// No scheme, or one that is neither `http` nor `https` nor a reversed domain name.
        case scheme
        /// No host, or one that is neither a name nor an address.
        case host
        /// A port that is not a number from 1 to 65535.
        case port
        /// A user name or password before the host.
        case userInformation
        /// A private-use scheme not followed by exactly one slash (RFC 8252, section 7.1).
        case path
    }

    /// Which part is wrong.
    package let code: Code

    /// A sentence for users that does not repeat the text.
    package var message: String {
        switch code {
        case .character: "the URL has a character that no URL may have"
        case .scheme: "the URL must start with https://, http:// or a private scheme such as com.example.app:/"
        case .host: "the URL has no usable host"
        case .port: "the URL's port is not a number from 1 to 65535"
        case .userInformation: "the URL must not carry a user name or password"
        case .path: "a private scheme must be followed by exactly one slash"
        }
    }
}

extension WebURLError: CustomStringConvertible {
    /// The sentence.
    package var description: String { message }
}
