// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Finds what a person meant by a mistyped name.
package enum NearestName {
    /// The name nearest to what was typed, where one is near enough to be meant: at most one wrong key in three.
    package static func of(_ typed: String, among names: [String]) -> String? {
        guard typed.utf8.count <= 80 else { return nil }
        let typed = typed.lowercased()
        let allowance = max(1, typed.count / 3)
        let ranked = names.map { (name: $0, distance: distance(typed, $0.lowercased())) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= allowance { return best.name }
        let beginnings = names.filter { typed.count >= 2 && $0.lowercased().hasPrefix(typed) }
        return beginnings.count == 1 ? beginnings[0] : nil
    }

    /// How many keys are wrong: left out, added, changed, or two swapped (Damerau–Levenshtein, restricted).
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let same = left[row] == right[column]
                var best = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (same ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}
