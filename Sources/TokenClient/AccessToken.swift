// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import TokendProtocol

/// An access token with the daemon's information about it. Descriptions and mirrors do not show the token.
public struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let result: TokenGet.Result

    init(_ result: TokenGet.Result) {
        self.result = result
    }

    /// The token itself, for an `Authorization` header. Keep it no longer than the request takes.
    public var text: String { result.accessToken.reveal() }
    /// Its account.
    public var account: String { result.account }
    /// Its issuer.
    public var issuer: String { result.issuer }
    /// Its type (RFC 6749, section 7.1), usually `Bearer`.
    public var type: String { result.tokenType }
    /// The scopes that it covers, separated by spaces.
    public var scope: String { result.scope }
    /// When it ends, in unix seconds; nil if the provider does not say.
    public var expiresAt: Int64? { result.expiresAt }
    /// Whether there is a refresh token, so that the next one needs no user.
    public var isRenewable: Bool { result.renewable }
    /// Whether it was fetched for this call.
    public var isRefreshed: Bool { result.refreshed }

    var secret: Secret { result.accessToken }

    /// Shows its account, never the token.
    public var description: String { "<access token of \(account)>" }
    /// The same.
    public var debugDescription: String { description }
    /// Empty: `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
