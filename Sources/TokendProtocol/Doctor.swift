// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// `doctor`: what only the daemon can see.
package enum Doctor: MethodCall {
    package static let method = Method.doctor

    /// One account, or all.
    package struct Parameters: MethodParameters {
        package static let names = ["account", "timeout", "trace"]

        /// The account's name; nil for all.
        package var account: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?
        /// Whether the exchanges with the provider are wanted too.
        package var trace: Bool?

        /// Checks of one account, or of all.
        package init(account: String? = nil) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.string("account")
            timeout = try reader.seconds("timeout")
            trace = try reader.flag("trace")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("account", account)
            object.set("timeout", timeout)
            object.set("trace", trace)
            return object
        }
    }

    /// One thing that was looked at.
    package struct Check: Sendable, Equatable {
        /// How it went. An open set: unknown words decode to themselves.
        package struct Outcome: RawRepresentable, Sendable, Hashable {
            package let rawValue: String

            package init(rawValue: String) {
                self.rawValue = rawValue
            }

            package static let ok = Outcome(rawValue: "ok")
            package static let fail = Outcome(rawValue: "fail")
            package static let skip = Outcome(rawValue: "skip")
        }

        /// What was looked at.
        package var name: String
        /// How it went.
        package var result: Outcome
        /// What was seen.
        package var detail: String?
        /// What to do about it.
        package var mend: String?
        /// The program that was looked at, where it is another one than the daemon.
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
    }

    /// The checks, in the order in which they were made.
    package struct Result: MethodResult {
        package var checks: [Check]
        /// What passed between the daemon and the provider, where that was asked for.
        package var trace: [Exchange]?

        /// What was found.
        package init(checks: [Check], trace: [Exchange]? = nil) {
            self.checks = checks
            self.trace = trace
        }

        package init(json: JSONObject) throws(ProtocolError) {
            let reader = MemberReader(result: json)
            checks = try reader.required(reader.objects("checks"), "checks").map { object throws(ProtocolError) in
                let reader = MemberReader(result: object)
                return Check(
                    try reader.required(reader.string("name"), "name"),
                    Check.Outcome(rawValue: try reader.required(reader.string("result"), "result")),
                    detail: try reader.string("detail"),
                    mend: try reader.string("mend"),
                    program: try reader.string("program")
                )
            }
            trace = try reader.objects("trace")?.map { object throws(ProtocolError) in try Exchange(json: object) }
        }

        package func encoded() -> JSONObject {
            let list = checks.map { check in
                var object: JSONObject = ["name": .string(check.name), "result": .string(check.result.rawValue)]
                object.set("detail", check.detail)
                object.set("mend", check.mend)
                object.set("program", check.program)
                return JSONValue.object(object)
            }
            var object: JSONObject = ["checks": .array(list)]
            object.set("trace", trace?.map { $0.encoded() })
            return object
        }
    }
}
