// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON
import Systemd

/// What is wrong with a provider, or with the way to it, for a while.
enum Condition: String, CaseIterable {
    case well
    // The provider answers with a refusal.
    /// 503, without a word of when.
    case away
    /// A page with 500.
    case broken
    /// 429 with `Retry-After`.
    case throttling
    /// 400 with a code that nobody knows.
    case unknownRefusal
    /// 401: the client is not known.
    case deniesClient
    /// Its policy wants the user.
    case wantsUser
    // It does what is asked, and its answer is odd.
    /// An answer that came whole and cannot be read, with the refresh token in it.
    case unreadable
    /// The same without one that could be found.
    case unreadableWithoutToken
    /// A byte order mark, a lifetime as text, a member twice.
    case sloppy
    /// No bearer token.
    case otherType
    // The way to it.
    /// Answers take up to 20 s.
    case slow
    /// Requests get lost.
    case requestsLost
    /// Answers get lost, after the provider has done what was asked.
    case answersLost
    /// Every second answer gets lost.
    case someAnswersLost
    /// A portal answers with its page.
    case portal

    /// The answer of a provider that does nothing of what is asked; nil where it does.
    @LoopActor func refusal(at now: Span) -> Provider.Answer? {
        switch self {
        case .away: return .error("temporarily_unavailable", status: 503)
        case .broken: return page(status: 500)
        case .portal: return page(status: 200)
        case .throttling:
            var answer = Provider.Answer.error("slow_down", status: 429)
            answer.response.headers["Retry-After"] = "120"
            answer.retryAt = now + .seconds(120)
            return answer
        case .unknownRefusal: return .error("computer_says_no")
        case .deniesClient: return .error("invalid_client", status: 401)
        case .wantsUser: return .error("interaction_required")
        case .well, .unreadable, .unreadableWithoutToken, .sloppy, .otherType, .slow, .requestsLost, .answersLost,
            .someAnswersLost:
            return nil
        }
    }

    private func page(status: Int) -> Provider.Answer {
        let body = Array("<html>Sign in to the network</html>".utf8)
        return Provider.Answer(
            response: HTTPResponse(status: status, headers: ["Content-Type": "text/html"], body: body)
        )
    }

    /// A good answer as it is written in this condition.
    func shape(_ object: JSONObject, _ token: Book.RefreshToken?, _ dice: inout Dice) -> Provider.Answer {
        var object = object
        var answer = Provider.Answer(response: .json(object), refreshToken: token)
        switch self {
        case .unreadable:
            answer.response.body = Array("\u{7}".utf8) + answer.response.body
        case .unreadableWithoutToken:
            answer.response.body = Array("{\"access_token\": \u{7}}".utf8)
            answer.refreshToken = nil
        case .sloppy:
            if let life = object["expires_in"]?.int64 { object["expires_in"] = .string("\(life)") }
            answer.response = .json(object)
            answer.response.body = [0xEF, 0xBB, 0xBF] + answer.response.body
        case .otherType:
            object["token_type"] = "N_A"
            answer.response = .json(object)
        default: break
        }
        return answer
    }
}
