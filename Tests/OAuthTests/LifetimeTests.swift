// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Testing

@Suite struct LifetimeTests {
    private func read(_ members: String, dialect: ProviderDialect = ProviderDialect()) -> Lifetime? {
        let body = #"{"access_token":"x","token_type":"bearer"\#(members.isEmpty ? "" : "," + members)}"#
        return TokenAnswer.read(.text(body, type: "application/json"), dialect: dialect).success?.lifetime
    }

    @Test(arguments: [
        ("3599", 3599), (#""3599""#, 3599), ("3599.7", 3599), ("1e3", 1000), (#""3599.0""#, 3599), ("3599.0", 3599),
        ("1", 1), ("631138518", 631_138_518), ("1e12", Lifetime.longest), ("1000000000000000000", Lifetime.longest),
        ("99999999999999999999999", Lifetime.longest), ("1e400", Lifetime.longest),
        (#""99999999999999999999999""#, Lifetime.longest),
    ])
    func `seconds come as integers, floats and digits, without overflow (A1, A3, I, rule 14)`(
        value: String,
        seconds: Int64
    ) {
        #expect(read("\"expires_in\":\(value)") == .seconds(seconds))
    }

    @Test(arguments: ["0", "-1", "-0", "0.4", #""0""#, #""-5""#, "-1e400", "-99999999999999999999"])
    func `0 and less are over, not for ever (A3, rule 14)`(value: String) {
        #expect(read("\"expires_in\":\(value)") == .elapsed)
    }

    @Test(arguments: [
        "null", "true", "{}", "[3600]", #""soon""#, #""NaN""#, #""""#, #""1e3""#, #"" 3600""#, #""0x10""#,
    ])
    func `anything else says nothing (A3, 6749-13, rule 14)`(value: String) {
        #expect(read("\"expires_in\":\(value)") == .unknown)
    }

    @Test func `nothing stated is unknown, never the lifetime before (A4, A5, 6749-13)`() {
        #expect(read("") == .unknown)
    }

    @Test func `what is odd is noted, what is absent is not (rule 14)`() {
        let odd = TokenAnswer.read(.json(TokenAnswer.good(["expires_in": "soon"]))).success
        #expect(odd?.notes.count == 1)
        #expect(TokenAnswer.read(.json(["access_token": "x", "token_type": "bearer"])).success?.notes == [])
    }

    @Test func `milliseconds are known by their twin or by a preset (A2)`() {
        #expect(read(#""expires_in":3600000,"expires_in_sec":3600"#) == .seconds(3600))
        var dialect = ProviderDialect()
        dialect.lifetimeIsInMilliseconds = true
        #expect(read(#""expires_in":3600000"#, dialect: dialect) == .seconds(3600))
        #expect(read(#""expires_in":3600"#, dialect: dialect) == .seconds(3600))
        #expect(read(#""expires_in":3600000"#) == .seconds(3_600_000))
    }

    @Test(
        arguments: [
            ("expires_at", 3500, 3600), ("expires_at", 1799, 1800), ("expires_at", 9999, 3600),
            ("expires_at", -5, 3600),
            ("expires_on", 1799, 1800), ("expires_on", 3238, 3239), ("expires_on", 3239, 3600),
        ] as [(String, Int64, Int64)]
    )
    func `a point in time counts where it is earlier by more than a tenth (rule 14)`(
        name: String,
        ahead: Int64,
        seconds: Int64
    ) {
        #expect(read(#""expires_in":3600,"\#(name)":\#(now + ahead)"#) == .seconds(seconds))
        #expect(read(#""expires_in":3600,"\#(name)":"\#(now + ahead)""#) == .seconds(seconds))
    }

    @Test func `a point in time alone will do (rule 14)`() {
        #expect(read(#""expires_at":\#(now + 99)"#) == .seconds(100))
        #expect(read(#""expires_at":"2026-08-09""#) == .unknown)
        #expect(read(#""expires_at":1"#) == .unknown)
    }

    @Test func `a point in time is on the server's clock (rule 14)`() {
        let body = #"{"access_token":"x","token_type":"bearer","expires_at":\#(now + 99)}"#
        let answer = HTTPResponse.text(
            body,
            type: "application/json",
            headers: ["Date": "Sun, 09 Aug 2026 02:02:22 GMT"]
        )
        #expect(TokenAnswer.read(answer).success?.lifetime == .seconds(89))
    }

    @Test func `a lifetime counts from the time of sending (rule 12)`() {
        #expect(Lifetime.seconds(60).expiry(sentAt: 1000) == 1060)
        #expect(Lifetime.seconds(Lifetime.longest).expiry(sentAt: now) == now + Lifetime.longest)
        for other in [Lifetime.elapsed, .unknown, .unlimited] {
            #expect(other.expiry(sentAt: 1000) == nil)
        }
    }
}
