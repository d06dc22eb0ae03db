// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc
import Systemd
import Testing

@Suite struct BootInstantTests {
    @Test func `it goes with the boot-time clock`() {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let now = BootInstant.now
        let before = BootInstant(microseconds: UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000)
        #expect(before <= now)
        #expect(before.duration(to: now) < .seconds(10))
    }

    @Test(arguments: [
        (Duration.seconds(2), UInt64(3_000_000)), (.milliseconds(-1), 999_000), (.nanoseconds(1999), 1_000_001),
        (.seconds(-2), 0), (.seconds(Int64.max), UInt64(Int64.max) + 1_000_000), (.seconds(Int64.min), 0),
    ])
    func `an instant moves by a duration and stays within the clock`(by: Duration, microseconds: UInt64) {
        #expect(BootInstant(microseconds: 1_000_000).advanced(by: by).microseconds == microseconds)
    }

    @Test func `never is not an instant`() {
        #expect(BootInstant(microseconds: .max - 5).advanced(by: .seconds(1)).microseconds == UInt64.max - 1)
    }

    @Test func `the way between two instants has a direction`() {
        let early = BootInstant(microseconds: 1000)
        let late = BootInstant(microseconds: 3500)
        #expect(early.duration(to: late) == .microseconds(2500))
        #expect(late.duration(to: early) == .microseconds(-2500))
    }
}
