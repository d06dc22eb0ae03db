// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// One of the user's accounts and how it stands.
public struct AccountInfo: Sendable, Equatable {
    /// How an account stands. Open: a newer daemon's states decode to themselves.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// As the daemon writes it.
        public let rawValue: String

        /// Any text is a state.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        fileprivate init(_ state: AccountState) {
            rawValue = state.rawValue
        }

        /// Tokens are there.
        public static let ready = State(AccountState.ready)
        /// A refresh is under way; the held token is served meanwhile.
        public static let refreshing = State(AccountState.refreshing)
        /// The last refresh failed in passing.
        public static let retrying = State(AccountState.retrying)
        /// Nobody is signed in.
        public static let signedOut = State(AccountState.signedOut)
        /// A login waits for its user.
        public static let loginPending = State(AccountState.loginPending)
        /// The user has to sign in again.
        public static let loginRequired = State(AccountState.loginRequired)
        /// The secret store is locked.
        public static let storeLocked = State(AccountState.storeLocked)
        /// The account's file has a fault.
        public static let misconfigured = State(AccountState.misconfigured)
        /// The store has not answered yet.
        public static let unknown = State(AccountState.unknown)
    }

    private let status: AccountStatus

    init(_ status: AccountStatus) {
        self.status = status
    }

    /// Its name.
    public var name: String { status.account }
    /// Who issues its tokens.
    public var issuer: String { status.issuer }
    /// How it stands.
    public var state: State { State(status.state) }
    /// Who is signed in, as the provider calls them.
    public var identity: String? { status.identity }
    /// The scopes that were granted.
    public var scope: String? { status.scope }
    /// When the held token ends, in unix seconds.
    public var expiresAt: Int64? { status.expiresAt }
    /// What is wrong, as a sentence.
    public var fault: String? { status.fault?.message }
}

extension TokenClient {
    /// All accounts, or the one of that name.
    public func accounts(named name: String? = nil) throws(TokenClientError) -> [AccountInfo] {
        try call(Status.self, Status.Parameters(account: name)).accounts.map(AccountInfo.init)
    }
}
