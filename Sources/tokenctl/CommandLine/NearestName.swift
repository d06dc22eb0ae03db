// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes

/// Finds the closest match for a mistyped name.
package enum NearestName {
    /// The closest name, if it is close enough: at most one wrong key in three.
    package static func of(_ typed: String, among names: [String]) -> String? {
        guard typed.utf8.count <= 80 else { return nil }
        let typed = typed.lowercased()
        let allowance = max(1, typed.count / 3)
        let ranked = names.map { (name: $0, distance: EditDistance.between(typed, $0.lowercased())) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowance { return best.name }
        let beginnings = names.filter { typed.count >= 2 && $0.lowercased().hasPrefix(typed) }
        return beginnings.count == 1 ? beginnings[0] : nil
    }
}
