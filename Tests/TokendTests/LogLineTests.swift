// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Testing

@testable import tokend

/// What the journal is told.
@Suite struct LogLineTests {
    @Test func `each kind of event has a message ID of its own`() {
        let ids = LogLine.messageIDs.values
        #expect(ids.count > 10 && Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
