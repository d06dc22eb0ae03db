// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd
import Testing

@testable import HTTP

/// Half-read requests: each has its time, and the oldest makes room.
@Suite struct ListenerAdmissionTests {
    private let start = BootInstant(microseconds: 1_000_000)

    @Test func `however a client drips, its request has one deadline (F)`() {
        var admission = ListenerAdmission<Int>(patience: .seconds(10))
        #expect(admission.nextDeadline == nil)
        #expect(admission.begin(1, at: start) == nil)
        #expect(admission.begin(2, at: start.advanced(by: .seconds(4))) == nil)
        #expect(admission.nextDeadline == start.advanced(by: .seconds(10)))
        #expect(admission.overdue(at: start.advanced(by: .seconds(9))) == [])
        #expect(admission.overdue(at: start.advanced(by: .seconds(10))) == [1])
        #expect(admission.nextDeadline == start.advanced(by: .seconds(14)))
        admission.end(2)
        #expect(admission.nextDeadline == nil && admission.overdue(at: start.advanced(by: .seconds(60))) == [])
    }

    @Test func `where too many are half there, the oldest goes, and whole ones do not count (F)`() {
        var admission = ListenerAdmission<Int>(patience: .seconds(10))
        for number in 0..<16 { #expect(admission.begin(number, at: start) == nil) }
        #expect(admission.begin(16, at: start) == 0)
        admission.end(5)
        #expect(admission.begin(17, at: start) == nil)
        #expect(admission.begin(18, at: start) == 1)
    }
}
