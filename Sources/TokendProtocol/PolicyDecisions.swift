// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `policy.list`: the remembered answers of users.
package enum PolicyList: MethodCall {
    package static let method = Method.policyList

    package typealias Parameters = NoParameters

    /// The remembered answers.
    package struct Result: MethodResult {
        package var decisions: [Decision] = []

        /// Decisions in their order.
        package init(decisions: [Decision]) {
            self.decisions = decisions
        }

        package init() {}

        package static let members: [Member<Self>] = [.required("decisions", \.decisions)]
    }

    /// One program that may have one account's tokens without another question.
    package struct Decision: WireMessage {
        package var account = ""
        /// As `allow` names it.
        package var client = ""
        /// When it was answered, in unix seconds.
        package var at: Int64 = 0

        /// A decision.
        package init(account: String, client: String, at: Int64) {
            self.account = account
            self.client = client
            self.at = at
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("client", \.client),
            .required("at", \.at),
        ]
    }
}

/// `policy.revoke`: forgets the answer about a program, so that its next request asks again.
package enum PolicyRevoke: MethodCall {
    package static let method = Method.policyRevoke
    package typealias Result = NoResult

    /// Which decision.
    package struct Parameters: MethodParameters {
        package var account = ""
        /// As in `policy.list`.
        package var client = ""

        /// A decision's two names.
        package init(account: String, client: String) {
            self.account = account
            self.client = client
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("account", \.account),
            .required("client", \.client),
        ]
    }
}

/// `confirm.answer`: the user's answer to the event `confirm_wanted`.
package enum ConfirmAnswer: MethodCall {
    package static let method = Method.confirmAnswer
    package typealias Result = NoResult

    /// A user's possible answers.
    package enum Answer: String, JSONRepresentable, CaseIterable {
        /// This time.
        case once
        /// From now on.
        case always
        case deny

        package static let form = JSONForm.word(of: allCases)
    }

    /// The question and the answer.
    package struct Parameters: MethodParameters {
        package var id = ""
        package var answer = Answer.deny

        /// An answer.
        package init(id: String, answer: Answer) {
            self.id = id
            self.answer = answer
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("id", \.id),
            .required("answer", \.answer),
        ]
    }
}
