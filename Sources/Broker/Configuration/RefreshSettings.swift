// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth

/// When an account's access token is renewed; `refresh` in the account's file. All times in seconds.
package struct RefreshSettings: Sendable, Equatable {
    /// When a token is renewed before a request needs it.
    package enum Policy: String, Sendable, CaseIterable {
        /// Always before its end.
        case always
        /// Only while clients ask for tokens.
        case active
        /// Only when a client's request needs it.
        case onDemand = "on_demand"
    }

    package var policy: Policy = .always
    /// How long before a token's end it is renewed; nil: 20 % of its life, between 30 and 300.
    package var margin: Int64?
    /// At start, a token that lives longer than this is renewed if it ends within it.
    package var atStartWithin: Int64 = 86_400
    /// The longest time that a grant stays unused, whatever the policy, so that the provider does not expire it.
    package var keepAlive: Int64 = 259_200
    /// The least time between two refreshes forced by clients; 0: no limit.
    package var forcedGap: Int64 = 60
    /// The least time between two renewals by the daemon itself, for providers that count them.
    package var minimumGap: Int64 = 10

    package init() {}

    /// The resulting rules.
    var rules: RefreshPolicy {
        var rules = RefreshPolicy(margin: margin, keepAlive: keepAlive)
        rules.minimumGap = minimumGap
        return rules
    }

    /// Reads the `refresh` object of an account's file.
    init(reading reader: inout MemberReader) {
        policy = reader.word("policy", as: Policy.self) ?? policy
        margin = reader.integer("margin", in: 1...86_400)
        atStartWithin = reader.integer("at_start_within", in: 0...31_536_000) ?? atStartWithin
        keepAlive = reader.integer("keep_alive", in: 60...31_536_000) ?? keepAlive
        forcedGap = reader.integer("forced_gap", in: 0...86_400) ?? forcedGap
        minimumGap = reader.integer("minimum_gap", in: 10...3600) ?? minimumGap
        reader.finish()
    }
}
