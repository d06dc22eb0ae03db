// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How long to wait before a dropped connection is taken up again. Pure.
package struct ReconnectPause: Sendable {
    /// Nothing has dropped yet.
    package private(set) var isFirst = true
    private var seconds: Int64 = 1

    /// Before the first connection.
    package init() {}

    /// Seconds: twice as many each time, to a minute; a connection that stood for a minute begins anew.
    package mutating func next(after stood: Int64, wasUp: Bool) -> Int64 {
        isFirst = false
        if wasUp, stood >= 60 { seconds = 1 }
        defer { seconds = min(seconds * 2, 60) }
        return seconds
    }
}
