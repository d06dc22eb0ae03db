// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

/// One of the user's accounts and its state.
public struct AccountInfo: Sendable, Equatable {
    /// The state of an account. Open: a newer daemon's states decode to themselves.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// As the daemon writes it.
        public let rawValue: String

        /// Any text is accepted.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        fileprivate init(_ state: AccountState) {
            rawValue = state.rawValue
        }

        /// Tokens are available.
        public static let ready = State(AccountState.ready)
        /// A refresh is under way; the held token is served meanwhile.
        public static let refreshing = State(AccountState.refreshing)
        /// The last refresh failed for a passing reason.
        public static let retrying = State(AccountState.retrying)
        /// No user is signed in.
        public static let signedOut = State(AccountState.signedOut)
        /// A login is waiting for the user.
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
    /// Its issuer.
    public var issuer: String { status.issuer }
    /// Its state.
    public var state: State { State(status.state) }
    /// The signed-in user, by the provider's name.
    public var identity: String? { status.identity }
    /// The scopes that were granted.
    public var scope: String? { status.scope }
    /// When the held token ends, in unix seconds.
    public var expiresAt: Int64? { status.expiresAt }
    /// Its fault, as a sentence.
    public var fault: String? { status.fault?.message }
}

extension TokenClient {
    /// All accounts, or the one of that name.
    public func accounts(named name: String? = nil) throws(TokenClientError) -> [AccountInfo] {
        try call(Status.self, Status.Parameters(account: name)).accounts.map(AccountInfo.init)
    }
}
