// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets
package import StrictJSON

/// `token.get`: an access token that holds.
package enum TokenGet: MethodCall {
    package static let method = Method.tokenGet

    /// Which token is wanted. Nil stands for a member that was not given; its default is the daemon's matter.
    package struct Parameters: MethodParameters {
        package static let names = [
            "account", "scope", "min_valid", "rejected", "fresh", "timeout", "interactive", "application", "issuer",
            "narrow", "resource", "audience", "id_token", "challenge",
        ]

        /// Bytes of a program's name for itself.
        package static let applicationLimit = 256
        /// Bytes of a challenge: more than servers put into a header.
        package static let challengeLimit = 8192

        /// The account's name.
        package var account: String?
        /// The issuer of the one account that is meant.
        package var issuer: String?
        /// The scopes that the token covers at least, with spaces between.
        package var scope: String?
        /// Whether it covers exactly these.
        package var narrow: Bool?
        /// The resources that it is for (RFC 8707).
        package var resource: [String]?
        /// The audience that it is for.
        package var audience: String?
        /// How many seconds it holds at least.
        package var minValid: Int64?
        /// The access token that an API refused.
        package var rejected: Secret?
        /// What the API said with its refusal, as it stands in `WWW-Authenticate`: where it wants another sign-in, a
        /// refresh is no help (RFC 9470).
        package var challenge: String?
        /// As `rejected`, without naming the token.
        package var fresh: Bool?
        /// Whether the user may be asked.
        package var interactive: Bool?
        /// Whether the ID token is wanted too.
        package var idToken: Bool?
        /// The caller's name for itself, for logs and confirmations; not trusted.
        package var application: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// The default account's token.
        package init(account: String? = nil) {
            self.account = account
        }

        package init(params: JSONObject) throws(ProtocolError) {
            let reader = try MemberReader(parameters: params, names: Self.names)
            account = try reader.string("account")
            issuer = try reader.string("issuer")
            scope = try reader.scope("scope")
            narrow = try reader.flag("narrow")
            resource = try reader.stringOrList("resource")
            audience = try reader.string("audience")
            minValid = try reader.seconds("min_valid")
            rejected = try reader.secret("rejected")
            challenge = try reader.string("challenge", upTo: Self.challengeLimit)
            fresh = try reader.flag("fresh")
            interactive = try reader.flag("interactive")
            idToken = try reader.flag("id_token")
            application = try reader.string("application", upTo: Self.applicationLimit)
            timeout = try reader.seconds("timeout")
        }

        package func encoded() -> JSONObject {
            var object: JSONObject = [:]
            object.set("account", account)
            object.set("issuer", issuer)
            object.set("scope", scope)
            object.set("narrow", narrow)
            object.set("resource", resource)
            object.set("audience", audience)
            object.set("min_valid", minValid)
            object.set("rejected", rejected)
            object.set("challenge", challenge)
            object.set("fresh", fresh)
            object.set("interactive", interactive)
            object.set("id_token", idToken)
            object.set("application", application)
            object.set("timeout", timeout)
            return object
        }
    }
}
