// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The codes of a device login (RFC 8628, section 3.2).
package struct DeviceAuthorizationResponse: Sendable {
    /// What the token endpoint is asked with; never shown and never logged.
    package let deviceCode: Secret
    /// What the user enters, as the provider wrote and grouped it: visible ASCII and spaces.
    package let userCode: String
    /// Where it is entered: `https`, or `http` on a loopback address.
    package let verificationURI: WebURL
    /// The same with the code in it, only ever shown beside the two above.
    package let verificationURIComplete: WebURL?
    /// How many seconds both codes live, from the time of sending on.
    package let expiresIn: Int64
    /// How many seconds lie between two polls, at least.
    package let interval: Int64
    /// What is odd about the answer, for a log; no secrets.
    package let notes: [String]

    /// The interval of an answer that names none that can be used (section 3.2).
    package static let defaultInterval: Int64 = 5

    /// The life of the codes of an answer that names none, though section 3.2 requires it; what providers state most.
    package static let defaultLife: Int64 = 900
}

/// What a device authorization endpoint's answer means.
package enum DeviceAuthorizationAnswer: Sendable {
    /// A user can be shown the code.
    case success(DeviceAuthorizationResponse)
    /// A success that lacks something, or breaks a rule; the sentence has nothing secret in it.
    case invalid(String)
    /// The provider says no.
    case refused(OAuthErrorBody)
    /// Passing: an outage, a limit, a captive portal.
    case unavailable(reason: String, retryAfter: Duration?)
}
