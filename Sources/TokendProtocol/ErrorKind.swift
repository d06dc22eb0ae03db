// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Members

/// The kind of an error, for programs (`data.kind`).
///
/// A kind that this version does not know, from a newer daemon, decodes to itself.
package struct ErrorKind: OpenWord {
    /// The word on the wire.
    package let rawValue: String

    /// The kind with this word, known or not.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Not JSON, not UTF-8, a doubled name, or too deep; `offset`.
    package static let parseError = ErrorKind(rawValue: "parse_error")
    /// No `method`, a batch, or a line over the limit.
    package static let invalidRequest = ErrorKind(rawValue: "invalid_request")
    /// This daemon, or this socket, does not have the method.
    package static let methodNotFound = ErrorKind(rawValue: "method_not_found")
    /// A missing, unknown or ill-typed member of `params`; `member`.
    package static let invalidParams = ErrorKind(rawValue: "invalid_params")
    /// An internal fault.
    package static let internalError = ErrorKind(rawValue: "internal_error")
    /// There is no such account, or it is ambiguous; `accounts`.
    package static let accountUnknown = ErrorKind(rawValue: "account_unknown")
    /// No grant, the provider ended it, or the account's settings changed; `account`, `reason`.
    package static let loginRequired = ErrorKind(rawValue: "login_required")
    /// As `loginRequired`, and a login waits for the user; `account`, `login_id`.
    package static let loginPending = ErrorKind(rawValue: "login_pending")
    /// The user or the provider refused, or the answer failed a check.
    package static let loginFailed = ErrorKind(rawValue: "login_failed")
    /// No pending login has that id, or matches that URL.
    package static let loginUnknown = ErrorKind(rawValue: "login_unknown")
    /// The request's or the login's timeout was reached.
    package static let timeout = ErrorKind(rawValue: "timeout")
    /// `login.cancel`, or a newer login replaced it.
    package static let cancelled = ErrorKind(rawValue: "cancelled")
    /// Policy refuses this client or this method, or the user did; `client`.
    package static let notAllowed = ErrorKind(rawValue: "not_allowed")
    /// The secret store is locked.
    package static let storeLocked = ErrorKind(rawValue: "store_locked")
    /// No secret store, or it failed.
    package static let storeUnavailable = ErrorKind(rawValue: "store_unavailable")
    /// A passing failure to reach the provider.
    package static let providerUnreachable = ErrorKind(rawValue: "provider_unreachable")
    /// An OAuth error that is neither passing nor the grant's end, or an answer that breaks the specification.
    package static let providerError = ErrorKind(rawValue: "provider_error")
    /// The grant does not cover the request; `granted`, `requested`.
    package static let insufficientScope = ErrorKind(rawValue: "insufficient_scope")
    /// The account's file, or the daemon's, has a fault; `file`.
    package static let configInvalid = ErrorKind(rawValue: "config_invalid")
    /// `account.add` without `replace`; `account`.
    package static let accountExists = ErrorKind(rawValue: "account_exists")
    /// The API refused a new token, too; `account`.
    package static let tokenRejected = ErrorKind(rawValue: "token_rejected")

    /// Every kind of version 1 with its JSON-RPC code and `tokenctl`'s exit code.
    private static let numbers: [ErrorKind: (code: Int, exit: Int32)] = [
        .parseError: (-32700, 1),
        .invalidRequest: (-32600, 1),
        .methodNotFound: (-32601, 1),
        .invalidParams: (-32602, 64),
        .internalError: (-32603, 70),
        .accountUnknown: (-32001, 64),
        .loginRequired: (-32002, 77),
        .loginPending: (-32003, 77),
        .loginFailed: (-32004, 77),
        .loginUnknown: (-32005, 1),
        .timeout: (-32006, 75),
        .cancelled: (-32007, 1),
        .notAllowed: (-32008, 77),
        .storeLocked: (-32009, 75),
        .storeUnavailable: (-32010, 69),
        .providerUnreachable: (-32011, 75),
        .providerError: (-32012, 65),
        .insufficientScope: (-32013, 77),
        .configInvalid: (-32014, 78),
        .accountExists: (-32015, 1),
        .tokenRejected: (-32016, 77),
    ]

    /// Every kind of version 1, unordered.
    package static var known: [ErrorKind] {
        Array(numbers.keys)
    }

    /// The kind with this code, for an error without `data.kind`.
    package init?(code: Int) {
        guard let kind = Self.numbers.first(where: { $0.value.code == code })?.key else { return nil }
        self = kind
    }

    /// The `code` of the JSON-RPC error; -32000 for a kind that this version does not know.
    package var code: Int {
        Self.numbers[self]?.code ?? -32000
    }

    /// `tokenctl`'s exit code (the last column of the protocol's table); 1 for an unknown kind.
    package var exitCode: Int32 {
        Self.numbers[self]?.exit ?? 1
    }
}
