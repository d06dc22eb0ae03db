// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

extension GrantRecord {
    /// Takes over the grant's own end from an answer, in seconds from its sending; nil: not stated.
    ///
    /// An end that moves with each refresh is an idle timeout. One that stays is a hard limit, which only a new sign-in
    /// moves.
    mutating func takeEnd(_ life: Int64?, sentAt: Int64) {
        guard let life else { return takeSilence(at: sentAt) }
        let end = sentAt.addingSaturated(life)
        // Shortly after the last answer neither kind of end has moved.
        if let grantExpiresAt, sentAt.subtractingSaturated(refreshedAt ?? signedInAt) > 120 {
            isEndFixed = end <= grantExpiresAt.addingSaturated(60)
        }
        grantExpiresAt = end
        // The time until a fixed end says nothing about the idle timeout.
        grantLife = isEndFixed == true ? nil : life
    }

    /// A refresh did not state the grant's end. An old refresh token keeps its end, and so does a sign-in with a known
    /// fixed end. The end of a new refresh token is unknown; an end that has passed without effect was wrong.
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

    /// The grant's idle timeout in seconds, if the provider states it.
    var idleLife: Int64? {
        if let grantLife { return grantLife }
        // The item was written by a daemon that did not record the lifetime.
        guard let grantExpiresAt, isEndFixed != true else { return nil }
        return grantExpiresAt.subtractingSaturated(refreshedAt ?? signedInAt)
    }

    /// The grant's end, if only a new sign-in moves it; unix seconds.
    var fixedEnd: Int64? {
        guard renewable, isEndFixed == true else { return nil }
        return grantExpiresAt
    }
}

/// The notices of a grant's fixed end: three days and one day before (engine rule 18).
enum EndNotice {
    private static let day: Int64 = 86_400
    private static let marks: [Int64] = [3, 1]

    /// How many days before the end the notice is that is due now; nil: none yet, or the end has come. A grant with a
    /// shorter life gets none.
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
