// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// Times as users and settings write them (RFC 3339, a subset of ISO 8601), as seconds since 1970.
package enum InternetTime {
    /// The time in the text, such as `2026-12-31T18:00:00Z` or `2026-12-31T19:00:00.5+01:00`; nil for any other text.
    /// Fractions of a second are dropped.
    package static func unixTime(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count > secondsEnd, let day = day(bytes[..<dayEnd]), bytes[dayEnd] == UInt8(ascii: "T"),
            let time = time(bytes[(dayEnd + 1)..<secondsEnd])
        else { return nil }
        var zone = bytes[secondsEnd...]
        if zone.first == UInt8(ascii: ".") {
            let rest = zone.dropFirst().drop(while: \.isASCIIDigit)
            guard zone.count - rest.count > 1 else { return nil }
            zone = rest
        }
        guard let offset = offset(zone) else { return nil }
        return Int64(day * 86400 + time - offset)
    }

    /// `2026-11-30 14:05 UTC`
    package static func minute(unixTime: Int64) -> String {
        let seconds = Int(unixTime)
        let day = seconds.floorDivided(by: 86400)
        let minute = (seconds - day * 86400) / 60
        let date = CivilDate(daysSince1970: day)
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2)) "
            + "\(digits(minute / 60, 2)):\(digits(minute % 60, 2)) UTC"
    }

    private static let dayEnd = "2026-12-31".utf8.count
    private static let secondsEnd = "2026-12-31T18:00:00".utf8.count

    private static func day(_ bytes: ArraySlice<UInt8>) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], 4), let month = number(parts[1], 2),
            let day = number(parts[2], 2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return CivilDate(daysSince1970: date.daysSince1970) == date ? date.daysSince1970 : nil
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
            let second = number(parts[2], 2), hour <= 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    /// A zone's offset from UTC in seconds: `Z`, `+01:00`, `-0330`, `+01`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        switch bytes.first {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return bytes.count == 1 ? 0 : nil
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            var rest = bytes.dropFirst()
            guard let hours = number(rest.prefix(2), 2), hours < 24 else { return nil }
            rest = rest.dropFirst(2)
            if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
            let minutes = rest.isEmpty && bytes.last != UInt8(ascii: ":") ? 0 : number(rest, 2)
            guard let minutes, minutes < 60 else { return nil }
            return (bytes.first == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>, _ count: Int) -> Int? {
        guard bytes.count == count, bytes.allSatisfy(\.isASCIIDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
