// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// A listener's address: never a wildcard, never an interface's (RFC 8252, section 8.3).
package enum LoopbackAddress: Sendable, Hashable, CaseIterable {
    /// 127.0.0.1
    case v4
    /// ::1
    case v6

    /// The address as written in a URL and in `Host`.
    package var literal: String {
        switch self {
        case .v4: "127.0.0.1"
        case .v6: "[::1]"
        }
    }
}
