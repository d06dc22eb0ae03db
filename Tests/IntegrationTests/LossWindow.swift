// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Glibc

/// How many logins random kills may cost at a provider without grace: those that fall between its commit and the store.
///
/// Each kill comes at a moment of `span` after the client's request, every moment being as likely as the other; the
/// window in which it costs the login is at least `shortest` and at most `longest` long, and lies within the span. So the
/// losses of many kills have a binomial distribution whose probability lies between two values.
struct LossWindow {
    let span: Duration
    let shortest: Duration
    let longest: Duration

    /// What 99 of 100 runs of so many kills lie in.
    func losses(of kills: Int) -> ClosedRange<Int> {
        let few = Self.atMost(of: kills, min(1, shortest / span))
        let many = Self.atMost(of: kills, min(1, longest / span))
        let first = few.firstIndex { $0 > 0.005 } ?? 0
        let last = many.firstIndex { $0 >= 0.995 } ?? kills
        return min(first, last)...max(first, last)
    }

    /// For each number of successes, the probability of so many or fewer of so many trials.
    private static func atMost(of trials: Int, _ probability: Double) -> [Double] {
        var sum = 0.0
        var term = Double(trials) * log(1 - probability)
        return (0...trials).map { count in
            sum += exp(term)
            term += log(Double(trials - count) / Double(count + 1)) + log(probability / (1 - probability))
            return min(1, sum)
        }
    }
}
