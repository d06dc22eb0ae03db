// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension AccountConfiguration {
    /// One setting of a feature that is not built yet, with the values that turn it off.
    private struct Unbuilt {
        let name: String
        let accepted: [JSONValue]
        /// The allowed words; empty if the setting is not one word.
        let words: [String]

        init(_ name: String, accepted: [JSONValue] = [], words: [String] = []) {
            self.name = name
            self.accepted = accepted
            self.words = words
        }
    }

    /// Settings of features that are not built yet: only a value that turns the feature off is accepted, so that no
    /// user relies on a missing protection.
    static func refuseUnbuilt(in reader: inout MemberReader) {
        for setting in unbuilt {
            guard let value = reader.value(setting.name), !setting.accepted.contains(value) else { continue }
            if setting.words.isEmpty || value.string.map(setting.words.contains) == true {
                reader.fault(setting.name, notBuilt)
            } else {
                reader.fault(setting.name, ClosedWords.refusal(of: value.string ?? "", among: setting.words))
            }
        }
    }

    private static let unbuilt = [
        Unbuilt("dpop", accepted: ["never"], words: ["never", "always", "auto"])
    ]
}
