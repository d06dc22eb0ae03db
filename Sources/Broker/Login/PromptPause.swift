// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

/// Keeps a person from being asked again, for a program, soon after they were asked to no avail. What they begin
/// themselves is never held back.
struct PromptPause {
    /// A browser tab, or a store's prompt, that came to nothing keeps the next one away for so long.
    static let length: Duration = .seconds(300)

    private var end: BootInstant?

    /// Somebody said no, or nothing.
    mutating func begin(at now: BootInstant, length: Duration = Self.length) {
        end = now.advanced(by: length)
    }

    /// It was done.
    mutating func lift() {
        end = nil
    }

    func isOn(at now: BootInstant) -> Bool {
        end.map { now < $0 } ?? false
    }
}
