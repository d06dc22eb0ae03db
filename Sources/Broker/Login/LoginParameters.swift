// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import TokendProtocol

/// The parameters of a `login.start` that distinguish logins: equal ones join the login under way, others replace it.
package struct LoginParameters: Sendable, Equatable {
    package var flow = LoginFlow.browser
    package var redirectURI: String?
    /// Added to the configured and the granted ones.
    package var scope: Scope = []
    package var prompt: String?
    package var loginHint: String?
    /// Whether the user is hidden from the client, even as a hint for the provider in the page's URL.
    package var hidesPerson = false
    package var acrValues: String?
    package var maxAge: Int64?
    /// Whether another subject than the last one is accepted.
    package var force = false
    /// Whether the caller brings the answer back itself, so that every kind of redirect can be used.
    package var completes = false

    package init() {}
}

extension LoginParameters {
    /// From a `login.start`.
    init(_ parameters: LoginStart.Parameters, flow: LoginFlow) {
        self.init()
        self.flow = flow
        redirectURI = parameters.redirectURI
        scope = parameters.scope.map { Scope($0) } ?? []
        prompt = parameters.prompt
        loginHint = parameters.loginHint
        acrValues = parameters.acrValues
        maxAge = parameters.maxAge
        force = parameters.force ?? false
        completes = parameters.completes ?? false
    }
}
