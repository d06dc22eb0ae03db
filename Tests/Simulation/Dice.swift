// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// All chance of a run: the same seed throws the same dice, on every machine (SplitMix64).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Dice of their own for one purpose, so that what is thrown for it changes nothing else.
    mutating func fork() -> Dice { Dice(seed: next()) }

    /// A number from 0 up to below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

    /// Whether something happens that does in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    /// A span of time.
    mutating func span(_ range: ClosedRange<Span>) -> Span {
        range.lowerBound + Span(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }
}

/// Microseconds of the simulated boot-time clock, and lengths of time in it.
typealias Span = Int64

extension Span {
    static func milliseconds(_ count: Int64) -> Span { count * 1000 }
    static func seconds(_ count: Int64) -> Span { count * 1_000_000 }
    static func minutes(_ count: Int64) -> Span { .seconds(count * 60) }
    static func hours(_ count: Int64) -> Span { .seconds(count * 3600) }
    static var day: Span { .hours(24) }
}
