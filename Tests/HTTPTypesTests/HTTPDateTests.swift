// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        " Sun, 06 Nov 1994 08:49:37 GMT ",
    ])
    func `the three forms of RFC 9110 name the same time`(text: String) {
        #expect(HTTPDate.unixTime(text) == 784_111_777)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Tue, 01 Mar 2072 00:00:00 GMT", 3_224_016_000),
        ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ])
    func `times far from today are read and written alike`(text: String, time: Int) {
        #expect(HTTPDate.unixTime(text) == time)
        if time > 0 {
            #expect(HTTPDate.text(unixTime: time) == text)
        }
    }

    @Test func `writes the preferred form`() {
        #expect(HTTPDate.text(unixTime: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(unixTime: -1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func `a leap second is the first of the next minute`() {
        #expect(
            HTTPDate.unixTime("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate.unixTime("Sun, 01 Jan 2017 00:00:00 GMT")
        )
    }

    @Test(arguments: [
        (26, 1_790_000_000, "2026"), (76, 1_790_000_000, "2076"), (77, 1_790_000_000, "1977"),
        (94, 1_790_000_000, "1994"),
    ])
    func `a year of two digits lies at most fifty years ahead`(short: Int, now: Int, year: String) {
        let time = HTTPDate.unixTime("Sunday, 06-Nov-\(short) 08:49:37 GMT", now: now)
        #expect(time == HTTPDate.unixTime("Sun, 06 Nov \(year) 08:49:37 GMT"))
    }

    @Test(arguments: [
        "", "now", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov +994 08:49:37 GMT", "Tue, 29 Feb 1900 00:00:00 GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.unixTime(text) == nil)
    }
}

@Suite struct RetryAfterTests {
    private let now = 784_111_777

    @Test func `seconds count from the answer`() {
        #expect(RetryAfter("120") == .seconds(120))
        #expect(RetryAfter(" 0 ")?.wait(now: now, cap: .seconds(3600)) == .zero)
        #expect(RetryAfter("120")?.wait(now: now, cap: .seconds(3600)) == .seconds(120))
    }

    @Test func `a date counts from now on`() {
        let retryAfter = RetryAfter("Sun, 06 Nov 1994 08:51:37 GMT")
        #expect(retryAfter == .date(now + 120))
        #expect(retryAfter?.wait(now: now, cap: .seconds(3600)) == .seconds(120))
        #expect(retryAfter?.wait(now: now + 500, cap: .seconds(3600)) == .zero)
    }

    @Test(arguments: ["86400", "99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `the wait is never longer than the cap`(text: String) {
        #expect(RetryAfter(text)?.wait(now: now, cap: .seconds(3600)) == .seconds(3600))
    }

    @Test(arguments: ["", "soon", "-1", "1.5", "+5", "１２"])
    func `anything else is not there`(text: String) {
        #expect(RetryAfter(text) == nil)
    }

    @Test func `an answer knows its server's clock and its wait`() {
        let response = HTTPResponse(
            status: 503,
            headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:49:47 GMT"]
        )
        #expect(response.serverDate == now)
        #expect(response.retryAfter == .date(now + 10))
        #expect(HTTPResponse(status: 503).serverDate == nil)
        #expect(HTTPResponse(status: 503).retryAfter == nil)
    }
}
