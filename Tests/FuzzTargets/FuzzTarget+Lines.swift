// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import TokendProtocol

extension FuzzTarget {
    /// The first byte says the limit, the second in which pieces the rest comes.
    static func readLines(_ bytes: [UInt8]) throws(BrokenRule) {
        guard bytes.count >= 2 else { return }
        let limit = Int(bytes[0]) + 1
        let piece = Int(bytes[1]) + 1
        let stream = Array(bytes[2...])
        let whole = framed(stream, limit: limit, piece: max(1, stream.count))
        try BrokenRule.unless(
            whole == framed(stream, limit: limit, piece: piece),
            "lines are the same in whatever pieces they come"
        )
        try BrokenRule.unless(whole == split(stream, limit: limit), "lines are those between the line ends")
    }

    private static func framed(_ stream: [UInt8], limit: Int, piece: Int) -> [LineFramer.Line] {
        var framer = LineFramer(limit: limit)
        var lines: [LineFramer.Line] = []
        var start = 0
        repeat {
            let end = min(start + piece, stream.count)
            framer.append(Array(stream[start..<end]))
            while let line = framer.next() { lines.append(line) }
            start = end
        } while start < stream.count
        return lines
    }

    /// The same, said in another way.
    private static func split(_ stream: [UInt8], limit: Int) -> [LineFramer.Line] {
        var lines: [LineFramer.Line] = []
        var parts = stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = parts.removeLast()
        for part in parts {
            let line = part.last == UInt8(ascii: "\r") ? part.dropLast() : part
            guard line.count <= limit else { return lines + [.overlong] }
            if line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) {
                lines.append(.line(Array(line)))
            }
        }
        let open = rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest
        return open.count > limit ? lines + [.overlong] : lines
    }
}
