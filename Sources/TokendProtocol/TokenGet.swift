// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Members
package import Secrets

/// `token.get`: a valid access token.
package enum TokenGet: MethodCall {
    package static let method = Method.tokenGet

    /// The requested token. Nil stands for an absent member; the daemon decides its default.
    package struct Parameters: MethodParameters {
        /// The greatest length of a program's name for itself, in bytes.
        package static let applicationLimit = 256
        /// The greatest length of a challenge in bytes: more than servers put into a header.
        package static let challengeLimit = 8192

        /// The account's name.
        package var account: String?
        /// The issuer of the requested account, if it has only one.
        package var issuer: String?
        /// The least scope of the token, separated by spaces.
        package var scope: String?
        /// Whether the scope must be exactly this.
        package var narrow: Bool?
        /// The token's resources (RFC 8707).
        package var resource: [String]?
        /// The token's audience.
        package var audience: String?
        /// The least validity in seconds.
        package var minValid: Int64?
        /// The access token that an API refused.
        package var rejected: Secret?
        /// The `WWW-Authenticate` value of the API's refusal: if it requires another sign-in, a refresh does not help
        /// (RFC 9470).
        package var challenge: String?
        /// As `rejected`, without naming the token.
        package var fresh: Bool?
        /// Whether the user may be prompted.
        package var interactive: Bool?
        /// Whether to include the ID token.
        package var idToken: Bool?
        /// The caller's name for itself, for logs and confirmations; not trusted.
        package var application: String?
        /// How many seconds the call may wait.
        package var timeout: Int64?

        /// The default account's token.
        package init(account: String?) {
            self.account = account
        }

        package init() {}

        package static let members: [Member<Self>] = [
            .optional("account", \.account),
            .optional("scope", \.scope, as: .scope),
            .optional("min_valid", \.minValid, as: .seconds),
            .optional("rejected", \.rejected),
            .optional("fresh", \.fresh),
            .optional("timeout", \.timeout, as: .seconds),
            .optional("interactive", \.interactive),
            .optional("application", \.application, as: .string(upTo: Self.applicationLimit)),
            .optional("issuer", \.issuer),
            .optional("narrow", \.narrow),
            .optional("resource", \.resource, as: .stringOrList),
            .optional("audience", \.audience),
            .optional("id_token", \.idToken),
            .optional("challenge", \.challenge, as: .string(upTo: Self.challengeLimit)),
        ]
    }
}
