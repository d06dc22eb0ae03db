// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import OAuth
package import TokendProtocol

/// A further socket that shows less than the main one: only what is listed exists there.
package struct NarrowSocket: Sendable, Equatable {
    package var name: String
    /// Absolute, or with `%t/` before it: below `$XDG_RUNTIME_DIR`.
    package var path: String
    /// The socket file's permissions.
    package var mode: UInt32 = 0o600
    /// The users whose clients are served; empty: the daemon's own user.
    package var uids: Set<UInt32> = []
    package var methods: Set<Method> = [.hello, .tokenGet]
    package var accounts: Set<String>
    /// The most that tokens cover; nil: as the account's policy allows.
    package var scope: Scope?
    /// Unix seconds after which it is gone; nil: it stays.
    package var until: Int64?

    package init(name: String, path: String, accounts: Set<String>) {
        self.name = name
        self.path = path
        self.accounts = accounts
    }

    /// The methods that a restricted socket can have.
    package static let possible: Set<Method> = Set(Route.all.filter(\.isNarrow).map(\.method)).union([
        .tokenExchange, .tokenProof,
    ])
}
