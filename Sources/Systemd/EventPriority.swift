// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The order of sources that are ready in the same round: lower values first, and among equals the one that has been
/// ready for more rounds.
package struct EventPriority: RawRepresentable, Sendable, Comparable {
    /// sd-event's number.
    package let rawValue: Int64

    /// A priority between or beyond the named ones.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Before everything else: signals, the loss of a client.
    package static let important = EventPriority(rawValue: -100)
    /// The default.
    package static let normal = EventPriority(rawValue: 0)
    /// Only when nothing else is ready.
    package static let idle = EventPriority(rawValue: 100)

    package static func < (left: EventPriority, right: EventPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
