// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `policy.list`: what people have said for good.
package enum PolicyList: MethodCall {
    package static let method = Method.policyList

    package typealias Parameters = NoParameters

    /// The answers that are remembered.
    package struct Result: MethodResult {
        package var decisions: [Decision]

        /// Decisions in their order.
        package init(decisions: [Decision]) {
            self.decisions = decisions
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            decisions = []
            for object in try reader.required(reader.objects("decisions"), "decisions") {
                decisions.append(try Decision(json: object))
            }
        }

        package func encoded() -> JSONObject {
            ["decisions": .array(decisions.map { .object($0.encoded()) })]
        }
    }

    /// One program that may have one account's tokens without being asked about again.
    package struct Decision: Sendable, Equatable {
        package var account: String
        /// In the words of `allow`.
        package var client: String
        /// When it was said, in unix seconds.
        package var at: Int64

        /// A decision.
        package init(account: String, client: String, at: Int64) {
            self.account = account
            self.client = client
            self.at = at
        }

        /// Reads one; a missing member is a fault of whoever wrote it.
        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            account = try reader.required(reader.string("account"), "account")
            client = try reader.required(reader.string("client"), "client")
            at = try reader.required(reader.integer("at"), "at")
        }

        /// The decision's members.
        package func encoded() -> JSONObject {
            ["account": .string(account), "client": .string(client), "at": .integer(at)]
        }
    }
}

/// `policy.revoke`: forgets what was said of a program, so that its next request asks again.
package enum PolicyRevoke: MethodCall {
    package static let method = Method.policyRevoke
    package typealias Result = NoResult

    /// Which decision.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "client"]

        package var account: String
        /// In the words of `policy.list`.
        package var client: String

        /// A decision's two names.
        package init(account: String, client: String) {
            self.account = account
            self.client = client
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.required(reader.string("account"), "account")
            client = try reader.required(reader.string("client"), "client")
        }

        package func encoded() -> JSONObject {
            ["account": .string(account), "client": .string(client)]
        }
    }
}

/// `confirm.answer`: the user's answer to the event `confirm_wanted`.
package enum ConfirmAnswer: MethodCall {
    package static let method = Method.confirmAnswer
    package typealias Result = NoResult

    /// What a user may say.
    package enum Answer: String, Sendable, CaseIterable {
        /// This time.
        case once
        /// From now on.
        case always
        case deny
    }

    /// Which question, and what is said.
    package struct Parameters: MethodParameters {
        package static let names = ["id", "answer"]

        package var id: String
        package var answer: Answer

        /// An answer.
        package init(id: String, answer: Answer) {
            self.id = id
            self.answer = answer
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            id = try reader.required(reader.string("id"), "id")
            let answer = try reader.read("answer", as: "once, always or deny") { value in
                value.string.flatMap(Answer.init(rawValue:))
            }
            self.answer = try reader.required(answer, "answer")
        }

        package func encoded() -> JSONObject {
            ["id": .string(id), "answer": .string(answer.rawValue)]
        }
    }
}
