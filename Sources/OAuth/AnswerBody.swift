// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON

/// The content of a provider's answer, recognised by its form and not only by `Content-Type`.
struct AnswerBody {
    /// The members; nil if the content is neither a JSON object nor a form.
    let object: JSONObject?

    /// Why it is not valid JSON, if it begins like JSON.
    let fault: JSONError?

    /// Whether its end may be lost: it ends too early, and with the connection (RFC 9112, section 6.3). An answer with
    /// a length is complete.
    let isCutOff: Bool

    /// What came, for a sentence: the parser's reason, or the media type; never the content.
    let what: String

    init(_ response: HTTPResponse) {
        var object: JSONObject?
        var fault: JSONError?
        if ProviderJSON.looksLikeObject(response.body) {
            do { object = try ProviderJSON.read(response.body).object } catch { fault = error }
        } else {
            object = Self.form(response)
        }
        self.object = object
        self.fault = fault
        let endsEarly = fault?.code == .unexpectedEnd || (object == nil && response.body.isEmpty)
        let isCutOff = endsEarly && !response.hasLength
        self.isCutOff = isCutOff
        what =
            fault.map { isCutOff ? "JSON that is cut off" : "JSON that cannot be read: \($0.place)" }
            ?? "\(JSONDocument.typeName(of: response)) instead of JSON"
    }

    /// A form, if the type allows one and a name indicates it (GitHub's default, Facebook's `text/plain`). The last
    /// value of a name counts.
    private static func form(_ response: HTTPResponse) -> JSONObject? {
        let types = ["application/x-www-form-urlencoded", "text/plain"]
        guard let type = response.mediaType, types.contains(type) else { return nil }
        let form = FormParameters.decodeLeniently(response.body)
        guard ["access_token", "error", "device_code"].contains(where: { form.secret($0) != nil }) else { return nil }
        var names: Set<[UInt8]> = []
        let members = form.reversed().filter { names.insert(Array($0.name.utf8)).inserted }.reversed()
        return JSONObject(distinct: members.lazy.map { ($0.name, .string($0.value)) })
    }
}

extension HTTPResponse {
    /// Longer waits are shortened to this.
    private static var longestWait: Duration { .seconds(3600) }

    /// How long `Retry-After` asks to wait, at most an hour; `now` is the unix time of the answer.
    func waitAsked(now: Int64) -> Duration? {
        retryAfter?.wait(now: serverDate ?? Int(now), cap: Self.longestWait)
    }

    /// Whether the transport has seen the body's end, and not only the connection's (RFC 9112, section 6.3).
    fileprivate var hasLength: Bool {
        status == 204 || headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
    }
}
