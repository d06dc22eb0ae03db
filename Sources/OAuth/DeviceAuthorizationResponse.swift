// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets

/// The codes of a device login (RFC 8628, section 3.2).
package struct DeviceAuthorizationResponse: Sendable {
    /// Sent to the token endpoint; never shown and never logged.
    package let deviceCode: Secret
    /// The code for the user, as the provider wrote and grouped it: visible ASCII and spaces.
    package let userCode: String
    /// The page for the code: `https`, or `http` on a loopback address.
    package let verificationURI: WebURL
    /// The same with the code in it; only shown beside the two above.
    package let verificationURIComplete: WebURL?
    /// The lifetime of both codes in seconds, from the time of sending.
    package let expiresIn: Int64
    /// The shortest time between two polls, in seconds.
    package let interval: Int64
    /// Oddities of the answer, for a log; no secrets.
    package let notes: [String]

    /// The interval if the answer has no usable one (section 3.2).
    package static let defaultInterval: Int64 = 5

    /// The codes' lifetime if the answer states none, though section 3.2 requires it; the value that most providers
    /// state.
    package static let defaultLife: Int64 = 900
}

/// The meaning of a device authorization endpoint's answer.
package enum DeviceAuthorizationAnswer: Sendable {
    /// The code can be shown to the user.
    case success(DeviceAuthorizationResponse)
    /// A success that lacks a member, or breaks a rule; the sentence contains no secret.
    case invalid(String)
    /// The provider refuses.
    case refused(OAuthErrorBody)
    /// A passing failure: an outage, a limit, a captive portal.
    case unavailable(reason: String, retryAfter: Duration?)
}
