// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// One thing that happened at the provider, in the order in which it happened.
package struct ProviderEvent: Sendable {
    package enum Phase: Sendable, Equatable {
        /// The request has been read whole; nothing has been decided yet.
        case arrived
        /// The answer has been handed to the system whole.
        case answered(status: Int)
        /// The answer was withheld or cut, as scripted.
        case cut
        /// The client hung up before the answer.
        case abandoned
    }

    package let endpoint: ProviderEndpoint
    package let phase: Phase
    package let request: WireRequest

    /// The body's parameters, or the query's where there is no body.
    package var parameters: WireParameters {
        request.body.isEmpty ? request.queryParameters : request.formParameters
    }
}
