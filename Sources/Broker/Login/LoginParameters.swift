// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import TokendProtocol

/// The parameters of a `login.start` that make one login differ from another: the same ones join the login under way,
/// others replace it.
package struct LoginParameters: Sendable, Equatable {
    package var flow = LoginFlow.browser
    package var redirectURI: String?
    /// Added to the configured and the granted ones.
    package var scope: Scope = []
    package var prompt: String?
    package var loginHint: String?
    package var acrValues: String?
    package var maxAge: Int64?
    /// Whether another subject than the last one is accepted.
    package var force = false
    /// Whether the caller brings the answer back itself, so that every kind of redirect can be used.
    package var completes = false

    package init() {}
}
