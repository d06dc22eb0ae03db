// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import TokendProtocol

/// What a `login.start` asks for, as far as it makes one login differ from another: the same again joins the login that
/// is under way, anything else takes its place.
package struct LoginParameters: Sendable, Equatable {
    package var flow = LoginFlow.browser
    package var redirectURI: String?
    /// Added to the configured and the granted ones.
    package var scope: Scope = []
    package var prompt: String?
    package var loginHint: String?
    package var acrValues: String?
    package var maxAge: Int64?
    /// Whether another subject than the last one is welcome.
    package var force = false
    /// Whether the caller brings the answer back itself, so that every kind of redirect can be used.
    package var completes = false

    package init() {}
}
