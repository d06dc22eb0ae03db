// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing
import TokendProtocol

@Suite struct LineFramerTests {
    private func lines(_ framer: inout LineFramer) -> [String] {
        var found: [String] = []
        while case .line(let bytes)? = framer.next() {
            found.append(String(decoding: bytes, as: UTF8.self))
        }
        return found
    }

    @Test func `a stream is cut at LF and CRLF and blank lines are skipped`() {
        var framer = LineFramer()
        framer.append(Array("one\ntwo\r\n\n\r\n \t \nthree\rstill\n\n".utf8))
        #expect(lines(&framer) == ["one", "two", "three\rstill"])
        #expect(framer.pendingByteCount == 0)
    }

    @Test(arguments: 1...7) func `lines are the same however the stream is chopped`(_ size: Int) {
        let stream = Array("alpha\r\n\r\nbeta\ngamma delta\n\n\nε\r\ntail".utf8)
        var framer = LineFramer()
        var found: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            framer.append(Array(stream[start..<min(start + size, stream.count)]))
            found += lines(&framer)
        }
        #expect(found == ["alpha", "beta", "gamma delta", "ε"])
        #expect(framer.pendingByteCount == 4)
    }

    @Test func `pending bytes are those that were not given out`() {
        var framer = LineFramer()
        framer.append(Array("one\ntwo\nhalf".utf8))
        #expect(framer.pendingByteCount == 12)
        _ = framer.next()
        #expect(framer.pendingByteCount == 8)
        _ = framer.next()
        #expect(framer.pendingByteCount == 4)
        framer.append(Array("\n".utf8))
        #expect(lines(&framer) == ["half"])
        #expect(framer.pendingByteCount == 0)
    }

    @Test(arguments: ["\n", "\r\n"]) func `a line may be as long as the limit and no longer`(_ end: String) {
        for (length, isGood) in [(7, true), (8, true), (9, false)] {
            var framer = LineFramer(limit: 8)
            let line = Array(repeating: UInt8(ascii: "x"), count: length)
            framer.append(line + Array(end.utf8))
            #expect(framer.next() == (isGood ? .line(line) : .overlong))
            #expect(framer.isOverlong == !isGood)
        }
    }

    @Test func `a line that may yet end within the limit is waited for`() {
        var framer = LineFramer(limit: 4)
        framer.append(Array("abcd\r".utf8))
        #expect(framer.next() == nil)
        framer.append(Array("\n".utf8))
        #expect(framer.next() == .line(Array("abcd".utf8)))
        framer.append(Array("abcde".utf8))
        #expect(framer.next() == .overlong)
    }

    @Test func `after an overlong line everything is dropped`() {
        var framer = LineFramer(limit: 4)
        framer.append(Array("ok\nfar too long".utf8))
        #expect(framer.next() == .line(Array("ok".utf8)))
        #expect(framer.next() == .overlong)
        #expect(framer.next() == nil)
        framer.append(Array("\nok\n".utf8))
        #expect(framer.next() == nil)
        #expect(framer.pendingByteCount == 0)
    }

    @Test func `lines before an overlong one are still given out`() {
        var framer = LineFramer(limit: 4)
        framer.append(Array("a\nb\nccccccc\nd\n".utf8))
        #expect(lines(&framer) == ["a", "b"])
        #expect(framer.isOverlong)
    }

    @Test func `an empty stream has no line`() {
        var framer = LineFramer()
        #expect(framer.next() == nil)
        framer.append([])
        #expect(framer.next() == nil)
    }
}
