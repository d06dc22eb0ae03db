// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Keeps the replies to plain requests without an id in the order of their requests: without an id, a client can match
/// them only by order.
struct ReplyOrder {
    private var first = 0
    private var lines: [[UInt8]?] = []

    /// The position of the next such request.
    mutating func take() -> Int {
        lines.append(nil)
        return first + lines.count - 1
    }

    /// Adds the reply at `position`.
    ///
    /// - Returns: the lines that can be sent now, in order.
    mutating func fill(_ place: Int, with line: [UInt8]) -> [[UInt8]] {
        lines[place - first] = line
        let ready = lines.prefix { $0 != nil }.compactMap(\.self)
        lines.removeFirst(ready.count)
        first += ready.count
        return ready
    }
}
