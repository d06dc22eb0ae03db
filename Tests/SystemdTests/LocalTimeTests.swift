// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Linux
import Testing

@Suite struct LocalTimeTests {
    @Test func `a moment is shown as the clock of this session shows it`() async {
        await #expect(processExitsWith: .success) {
            // In the form that needs no list of zones: five hours and a half before UTC, and summer time.
            setenv("TZ", "<+0530>-5:30", 1)
            precondition(LocalTime.text(1_796_047_509) == "2026-11-30 19:35:09")
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            precondition(LocalTime.text(1_796_047_509) == "2026-11-30 15:05:09")
            precondition(LocalTime.text(1_782_916_209) == "2026-07-01 16:30:09")
            setenv("TZ", "UTC0", 1)
            precondition(LocalTime.text(0) == "1970-01-01 00:00:00" && LocalTime.text(.max) == nil)
        }
    }
}
