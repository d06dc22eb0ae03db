// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// The three forms of an HTTP date (RFC 9110, section 5.6.7), as seconds since 1970.
package enum HTTPDate {
    /// The time in the text, or nil if it has none of the three forms.
    ///
    /// The two-digit year of the second form is read so that it is at most 50 years after `now` (seconds since 1970);
    /// without `now`, 70 to 99 mean 1970 to 1999.
    package static func unixTime(_ text: String, now: Int? = nil) -> Int? {
        let words = text.trimmingSpaces().split(separator: " ")
        switch words.count {
        case 6 where words[5] == "GMT":
            return time(day: words[1], month: words[2], year: words[3], clock: words[4])
        case 4 where words[3] == "GMT":
            let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard date.count == 3, let short = number(date[2], digits: 2) else { return nil }
            let year = fullYear(short, now: now)
            return time(day: date[0], month: date[1], year: Substring(String(year)), clock: words[2])
        case 5:
            let day = words[2].utf8.count == 1 ? "0" + words[2] : words[2]
            return time(day: day, month: words[1], year: words[4], clock: words[3])
        default:
            return nil
        }
    }

    /// The preferred form for sending: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(unixTime: Int) -> String {
        let day = unixTime.floorDivided(by: 86400)
        let second = unixTime - day * 86400
        let date = CivilDate(daysSince1970: day)
        let weekday = weekdays[(day + 4) - (day + 4).floorDivided(by: 7) * 7]
        let clock = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekday), \(twoDigits(date.day)) \(months[date.month - 1]) \(date.year) \(clock) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func time(day: Substring, month: Substring, year: Substring, clock: Substring) -> Int? {
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
        guard let day = number(day, digits: 2), (1...31).contains(day),
            let month = months.firstIndex(of: String(month)),
            let year = number(year, digits: 4),
            parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day)
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        return date.daysSince1970 * 86400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int(text)
    }

    private static func fullYear(_ short: Int, now: Int?) -> Int {
        guard let now else { return short < 70 ? 2000 + short : 1900 + short }
        let latest = CivilDate(daysSince1970: now.floorDivided(by: 86400)).year + 50
        let year = latest / 100 * 100 + short
        return year > latest ? year - 100 : year
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
