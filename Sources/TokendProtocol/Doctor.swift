// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members

/// `doctor`: checks that only the daemon can make.
package enum Doctor: MethodCall {
    package static let method = Method.doctor

    /// One account, or all.
    package struct Parameters: MethodParameters {
        /// The account's name; nil for all.
        package var account: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?
        /// Whether to include the exchanges with the provider.
        package var trace: Bool?

        /// Checks of one account, or of all.
        package init(account: String?) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .optional("account", \.account),
            .optional("timeout", \.timeout, as: .seconds),
            .optional("trace", \.trace),
        ]
    }

    /// One check.
    package struct Check: WireMessage {
        /// The outcome. An open set: unknown words decode to themselves.
        package struct Outcome: OpenWord {
            package let rawValue: String

            package init(rawValue: String) {
                self.rawValue = rawValue
            }

            package static let ok = Outcome(rawValue: "ok")
            package static let fail = Outcome(rawValue: "fail")
            package static let skip = Outcome(rawValue: "skip")
        }

        /// What was checked.
        package var name = ""
        /// The outcome.
        package var result = Outcome.skip
        /// The results.
        package var detail: String?
        /// What to do about it.
        package var mend: String?
        /// The program that was checked, if it is not the daemon.
        package var program: String?

        /// A check that was made.
        package init(
            _ name: String,
            _ result: Outcome,
            detail: String? = nil,
            mend: String? = nil,
            program: String? = nil
        ) {
            self.name = name
            self.result = result
            self.detail = detail
            self.mend = mend
            self.program = program
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("name", \.name),
            .required("result", \.result),
            .optional("detail", \.detail),
            .optional("mend", \.mend),
            .optional("program", \.program),
        ]
    }

    /// The checks, in the order in which they were made.
    package struct Result: MethodResult {
        package var checks: [Check] = []
        /// The exchanges between the daemon and the provider, if requested.
        package var trace: [Exchange]?

        /// The results.
        package init(checks: [Check], trace: [Exchange]? = nil) {
            self.checks = checks
            self.trace = trace
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .required("checks", \.checks),
            .optional("trace", \.trace),
        ]
    }
}
