// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The purpose of one use of the refresh token.
struct RefreshJob: Sendable, Equatable {
    /// nil: the account's own token.
    var variant: TokenVariant?
    /// Whether a client forced it.
    var isForced = false
}
