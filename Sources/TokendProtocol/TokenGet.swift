// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets

/// `token.get`: an access token that holds.
package enum TokenGet: MethodCall {
    package static let method = Method.tokenGet

    /// Which token is wanted. Nil stands for a member that was not given; its default is the daemon's matter.
    package struct Parameters: MethodParameters {
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
