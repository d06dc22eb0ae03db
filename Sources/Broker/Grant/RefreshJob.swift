// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// What one use of the refresh token is to bring.
struct RefreshJob: Sendable, Equatable {
    /// nil: the account's own token.
    var variant: TokenVariant?
    /// Whether a client's word began it.
    var isForced = false
}
