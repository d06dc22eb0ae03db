// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One challenge of a `WWW-Authenticate` field (RFC 9110, section 11.6.1; RFC 6750, section 3).
package struct AuthenticationChallenge: Sendable, Hashable {
    /// One parameter of a challenge.
    package struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        package let name: String

        /// The value without its quotes and escapes.
        package let value: String
    }

    /// The scheme in lower case, such as `bearer`, `dpop`.
    package let scheme: String

    /// Used by some schemes instead of parameters (`Negotiate`).
    package internal(set) var token68: String?

    /// In their order; the first value of a doubled name counts.
    package internal(set) var parameters: [Parameter] = []

    init(scheme: String) {
        self.scheme = scheme.asciiLowercased
    }

    /// The value of a parameter; names are compared without case.
    package subscript(name: String) -> String? {
        let name = name.asciiLowercased
        return parameters.first { $0.name == name }?.value
    }

    /// Every challenge in the values of all `WWW-Authenticate` fields, in order.
    ///
    /// Lenient, since servers are: unreadable text is skipped up to the next comma.
    package static func parse(_ values: [String]) -> [AuthenticationChallenge] {
        values.flatMap { value in
            var reader = ChallengeReader(value)
            return reader.readChallenges()
        }
    }
}

extension HTTPResponse {
    /// The answer's challenges.
    package var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(headers.values(of: "WWW-Authenticate"))
    }
}
