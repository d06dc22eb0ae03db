// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Keeps programs from prompting a user again soon after a prompt without success. What users begin themselves is never
/// held back.
struct PromptPause {
    /// How long after an unsuccessful browser tab or store prompt no other is shown.
    static let length: Duration = .seconds(300)

    private var end: BootInstant?

    /// The user refused, or did not answer.
    mutating func begin(at now: BootInstant, length: Duration = Self.length) {
        end = now.advanced(by: length)
    }

    /// The prompt succeeded.
    mutating func lift() {
        end = nil
    }

    func isOn(at now: BootInstant) -> Bool {
        end.map { now < $0 } ?? false
    }
}
