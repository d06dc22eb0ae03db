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

        /// Tokens are there.
        public static let ready = State(rawValue: "ready")
        /// A refresh is under way; the held token is served meanwhile.
        public static let refreshing = State(rawValue: "refreshing")
        /// The last refresh failed in passing.
        public static let retrying = State(rawValue: "retrying")
        /// Nobody is signed in.
        public static let signedOut = State(rawValue: "signed_out")
        /// A login waits for its user.
        public static let loginPending = State(rawValue: "login_pending")
        /// The user has to sign in again.
        public static let loginRequired = State(rawValue: "login_required")
        /// The secret store is locked.
        public static let storeLocked = State(rawValue: "store_locked")
        /// The account's file has a fault.
        public static let misconfigured = State(rawValue: "misconfigured")
        /// The store has not answered yet.
        public static let unknown = State(rawValue: "unknown")
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
    public var state: State { State(rawValue: status.state.rawValue) }
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
