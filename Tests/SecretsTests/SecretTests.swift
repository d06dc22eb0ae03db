// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let name = "holder"
        let secret = Secret("canary-7f3a")
    }

    private struct FillError: Error {}

    @Test func `gives back the text that it was made from`() {
        #expect(Secret("pässword").reveal() == "pässword")
        #expect(Secret(bytes: [0x61, 0x00, 0x62]).reveal() == "a\0b")
        #expect(Secret("").reveal() == "")
    }

    @Test func `counts bytes, not characters`() {
        #expect(Secret("é").count == 2)
        #expect(Secret("").isEmpty)
        #expect(!Secret("x").isEmpty)
    }

    @Test func `lends its bytes`() {
        #expect(Secret("abc").withUnsafeBytes { Array($0) } == [0x61, 0x62, 0x63])
    }

    @Test func `shows nothing of itself, whichever way it is described`() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        var dumpedAlone = ""
        dump(holder.secret, to: &dumpedAlone)
        let descriptions = [
            "\(holder.secret)", String(describing: holder.secret), String(reflecting: holder.secret),
            holder.secret.debugDescription, "\(holder)", String(reflecting: holder), "\([holder.secret])",
            "\(Optional(holder.secret) as Any)", "\(["key": holder.secret])", dumped, dumpedAlone,
        ]
        for description in descriptions {
            #expect(!description.contains("canary"))
            #expect(description.contains("<secret>"))
        }
        #expect(Mirror(reflecting: holder.secret).children.isEmpty)
    }

    @Test func `is equal when the bytes are`() {
        #expect(Secret("same") == Secret(bytes: Array("same".utf8)))
        #expect(Secret("same") != Secret("sama"))
        #expect(Secret("same") != Secret("tame"))
        #expect(Secret("same") != Secret("sam"))
        #expect(Secret("") == Secret(""))
        #expect(Set([Secret("a"), Secret("a"), Secret("b")]).count == 2)
    }

    @Test func `equality does not fold different bytes of the same character`() {
        #expect(Secret("\u{E9}") != Secret("e\u{301}"))
    }

    @Test func `can be filled in place and cut to what was filled`() {
        let secret = Secret(capacity: 8) { buffer in
            #expect(buffer.allSatisfy { $0 == 0 })
            buffer[0] = 0x68
            buffer[1] = 0x69
            return 2
        }
        #expect(secret.reveal() == "hi")
        #expect(secret == Secret("hi"))
    }

    @Test func `a failure while filling comes through with its type`() {
        #expect(throws: FillError.self) {
            try Secret(capacity: 4) { _ throws(FillError) in throw FillError() }
        }
    }

    @Test func `filling beyond the capacity is a programmer's error`() async {
        await #expect(processExitsWith: .failure) {
            _ = Secret(capacity: 1) { _ in 2 }
        }
    }
}
