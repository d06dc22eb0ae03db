// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import tokend

/// What the journal gets with a line.
@Suite struct LogLineTests {
    @Test func `each kind of event has a message ID of its own, in the journal's form`() {
        let ids = LogLine.messageIDs.values
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
