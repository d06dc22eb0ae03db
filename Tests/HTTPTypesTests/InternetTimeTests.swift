// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct InternetTimeTests {
    @Test(arguments: [
        ("2026-12-31T18:00:00Z", 1_798_740_000), ("2026-12-31T18:00:00z", 1_798_740_000),
        ("2026-12-31T18:00:00.25Z", 1_798_740_000), ("2026-12-31T18:00:00+01:00", 1_798_736_400),
        ("2026-12-31T18:00:00+0100", 1_798_736_400), ("2026-12-31T18:00:00+01", 1_798_736_400),
        ("2026-12-31T18:00:00-00:30", 1_798_741_800), ("2026-12-31T24:00:00Z", 1_798_761_600),
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2000-02-29T12:00:00Z", 951_825_600),
    ])
    func `a time is read with its zone`(text: String, time: Int64) {
        #expect(InternetTime.unixTime(text) == time)
    }

    @Test(arguments: [
        "", "tomorrow", "2026-12-31", "2026-12-31T18:00:00", "2026-12-31T18:00Z", "2026-12-31 18:00:00Z",
        "2026-02-30T18:00:00Z", "2026-13-01T18:00:00Z", "2026-12-31T25:00:00Z", "2026-12-31T18:60:00Z",
        "2026-12-31T18:00:00Zx", "2026-12-31T18:00:00.Z", "2026-12-31T18:00:00+1", "2026-12-31T18:00:00+01:",
        "2026-12-31T18:00:00+24:00", "+026-12-31T18:00:00Z", "2026-1-31T18:00:00Z", "20261231T180000Z",
    ])
    func `anything else is no time`(text: String) {
        #expect(InternetTime.unixTime(text) == nil)
    }

    @Test(arguments: [
        (1_798_740_059, "2026-12-31 18:00 UTC"), (0, "1970-01-01 00:00 UTC"), (-1, "1969-12-31 23:59 UTC"),
    ])
    func `a time is told to the minute`(time: Int64, text: String) {
        #expect(InternetTime.minute(unixTime: time) == text)
    }
}
