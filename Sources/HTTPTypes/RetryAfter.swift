// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

/// How long a server asks to wait, in either form of `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter: Sendable, Hashable {
    /// Seconds from the answer.
    case seconds(Int)
    /// Until this time, in seconds since 1970 on the server's clock.
    case date(Int)

    /// Reads the field's value; nil if it has neither form. Too large numbers become the largest.
    package init?(_ text: String, now: Int? = nil) {
        let text = text.trimmingSpaces()
        if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) {
            self = .seconds(Int(text) ?? .max)
        } else if let time = HTTPDate.unixTime(text, now: now) {
            self = .date(time)
        } else {
            return nil
        }
    }

    /// The wait from `now` (seconds since 1970; preferably the server's own date), between zero and `cap`.
    package func wait(now: Int, cap: Duration) -> Duration {
        let seconds =
            switch self {
            case .seconds(let seconds): seconds
            case .date(let time): time.subtractingReportingOverflow(now).partialValue
            }
        return min(.seconds(max(0, seconds)), cap)
    }
}

extension HTTPResponse {
    /// The answer's `Retry-After`, if it is present and readable.
    package var retryAfter: RetryAfter? { headers["Retry-After"].flatMap { RetryAfter($0, now: serverDate) } }
}
