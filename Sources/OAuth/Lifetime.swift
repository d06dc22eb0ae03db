// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A token's lifetime according to its provider, counted from the time at which the request was sent.
package enum Lifetime: Sendable, Hashable {
    /// In seconds, at least one, at most `longest`.
    case seconds(Int64)
    /// The answer says 0 or less: already over, or a provider's special meaning. The token is served without a known
    /// end and refreshed once, not in a loop.
    case elapsed
    /// The answer has no readable lifetime: neither over nor unlimited.
    case unknown
    /// The provider's way to say that the token does not end (see `ProviderDialect`).
    case unlimited

    /// A hundred years: longer ones are cut to this, so that no sum overflows.
    package static let longest: Int64 = 3_155_760_000

    /// The unix time at which the token ends, if that is known.
    package func expiry(sentAt: Int64) -> Int64? {
        if case .seconds(let seconds) = self { sentAt + seconds } else { nil }
    }

    /// Reads whole seconds from the forms that providers send: an integer, a float (rounded down), a string of digits.
    /// Anything else is nil.
    package static func wholeSeconds(_ value: JSONValue) -> Int64? {
        if let integer = value.int64 {
            return min(max(integer, -longest), longest)
        }
        let number: Double? =
            switch value {
            case .number(let number): Double(number.text)
            case .string(let text) where text.isDecimal: Double(text)
            default: nil
            }
        guard let number, !number.isNaN else { return nil }
        return Int64(min(max(number.rounded(.down), Double(-longest)), Double(longest)))
    }
}

extension Lifetime {
    /// Reads a token answer's members; oddities are added to `notes`.
    ///
    /// `clock` is the provider's time as far as it is known, for members that hold a point in time.
    static func read(
        _ members: JSONObject,
        clock: Int64,
        dialect: ProviderDialect,
        notes: inout [String]
    ) -> Lifetime {
        let ahead = secondsAhead(members, clock: clock)
        guard let named = relativeMember(members) else {
            return ahead.map(Lifetime.seconds) ?? .unknown
        }
        guard var seconds = wholeSeconds(named.value) else {
            notes.append("\(named.name) is \(named.value.kindName) that is no number of seconds")
            return ahead.map(Lifetime.seconds) ?? .unknown
        }
        if dialect.lifetimeIsInMilliseconds, named.name == "expires_in", seconds >= 1_000_000 {
            seconds /= 1000
        }
        guard seconds > 0 else {
            if seconds == 0, dialect.zeroLifetimeIsUnlimited {
                return .unlimited
            }
            notes.append("\(named.name) is \(seconds)")
            return .elapsed
        }
        if let ahead, ahead < seconds - seconds / 10 {
            return .seconds(ahead)
        }
        return .seconds(seconds)
    }

    /// The member that holds a time span: Zoho's `expires_in_sec` before `expires_in` (in milliseconds there),
    /// Facebook's `expires` after.
    private static func relativeMember(_ members: JSONObject) -> JSONObject.Member? {
        ["expires_in_sec", "expires_in", "expires"].lazy
            .compactMap { members.member($0) }
            .first { !$0.value.isNull }
    }

    /// How far `expires_at` or `expires_on` is in the future; one in the past contradicts a fresh answer and is
    /// ignored.
    private static func secondsAhead(_ members: JSONObject, clock: Int64) -> Int64? {
        for name in ["expires_at", "expires_on"] {
            if let time = members[name].flatMap(wholeSeconds), time > clock, time < longest {
                return time - clock
            }
        }
        return nil
    }
}

extension String {
    /// An optional minus, digits, and optionally a point with further digits.
    fileprivate var isDecimal: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
