// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension GrantRecord {
    /// Takes over what an answer says of the grant's own end, in seconds from its sending; nil: nothing.
    ///
    /// An end that moves with each refresh is an idle timeout. One that stays is a hard limit, which only a new sign-in
    /// moves.
    mutating func takeEnd(_ life: Int64?, sentAt: Int64) {
        guard let life else { return takeSilence(at: sentAt) }
        let end = sentAt.addingSaturated(life)
        // Soon after the last answer, neither kind of end has moved.
        if let grantExpiresAt, sentAt.subtractingSaturated(refreshedAt ?? signedInAt) > 120 {
            isEndFixed = end <= grantExpiresAt.addingSaturated(60)
        }
        grantExpiresAt = end
        // The time until a fixed end says nothing about how long the grant may be idle.
        grantLife = isEndFixed == true ? nil : life
    }

    /// A refresh said nothing of the grant's end. An old refresh token keeps its end, and so does a sign-in whose end is
    /// known to be fixed. The end of a new refresh token is unknown; an end that has passed without effect was wrong.
    private mutating func takeSilence(at sentAt: Int64) {
        guard let end = grantExpiresAt else { return }
        let stays = rotates != true || isEndFixed == true
        if stays, sentAt < end {
            isEndFixed = true
        } else {
            grantExpiresAt = nil
            isEndFixed = nil
        }
    }

    /// Seconds for which the grant may be idle, as far as the provider states it.
    var idleLife: Int64? {
        if let grantLife { return grantLife }
        // The item was written by a daemon that did not record the lifetime.
        guard let grantExpiresAt, isEndFixed != true else { return nil }
        return grantExpiresAt.subtractingSaturated(refreshedAt ?? signedInAt)
    }

    /// The grant's end as far as only a new sign-in puts it off; unix seconds.
    var fixedEnd: Int64? {
        guard renewable, isEndFixed == true else { return nil }
        return grantExpiresAt
    }
}

/// When the user is told that a grant comes to its fixed end: three days and one day before (engine rule 18).
enum EndNotice {
    private static let day: Int64 = 86_400
    private static let marks: [Int64] = [3, 1]

    /// How many days before the end the notice is that is due now; nil: none yet, or the end has come. A grant that does
    /// not live so long at all gets none.
    static func due(end: Int64, signedInAt: Int64, at now: Int64) -> Int64? {
        guard now < end else { return nil }
        return marks.last { days in
            let mark = mark(days, before: end)
            return signedInAt < mark && mark <= now
        }
    }

    /// When the next notice is due; nil: no more.
    static func next(end: Int64, after now: Int64) -> Int64? {
        marks.map { mark($0, before: end) }.first { $0 > now }
    }

    private static func mark(_ days: Int64, before end: Int64) -> Int64 { end.subtractingSaturated(days * day) }
}
