// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

extension String {
    /// The text, or nil where there is none: OAuth takes an empty value for an absent one
    /// (RFC 6749, section 3.1).
    var nilIfEmpty: String? { isEmpty ? nil : self }

    /// The text made fit to be shown, or nil where nothing of it can be.
    func shown(limit: Int = 200) -> String? { DisplayText.sanitized(self, limit: limit).nilIfEmpty }
}
