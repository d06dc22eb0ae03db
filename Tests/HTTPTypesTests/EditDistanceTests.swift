// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Testing

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("kitten", "sitting", 3),
        ("ca", "abc", 3),
        ("Abc", "abc", 1),
    ])
    func `a key left out, added or changed counts once, and so do two that are swapped`(
        left: String,
        right: String,
        distance: Int
    ) {
        #expect(EditDistance.between(left, right) == distance)
    }
}
