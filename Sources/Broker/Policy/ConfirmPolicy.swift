// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Whether the user is asked before a program gets a token.
package enum ConfirmPolicy: String, Sendable, CaseIterable, Comparable {
    case never
    /// Once for each program; the answer may be remembered.
    case first
    case always

    package static func < (left: ConfirmPolicy, right: ConfirmPolicy) -> Bool {
        left.strictness < right.strictness
    }

    private var strictness: Int {
        switch self {
        case .never: 0
        case .first: 1
        case .always: 2
        }
    }
}
