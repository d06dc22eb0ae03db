// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension String {
    /// The text, or nil if empty: OAuth treats an empty value as absent (RFC 6749, section 3.1).
    var nilIfEmpty: String? { isEmpty ? nil : self }

    /// The text cleaned for display, or nil if nothing remains.
    func shown(limit: Int = 200) -> String? { DisplayText.sanitized(self, limit: limit).nilIfEmpty }
}
