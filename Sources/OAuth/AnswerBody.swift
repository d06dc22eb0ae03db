// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON

/// The content of a provider's answer, read by what it is and not only by what `Content-Type` says.
struct AnswerBody {
    /// The members; nil where the content is neither a JSON object nor a form.
    let object: JSONObject?

    /// Why it is no JSON, where it begins like it.
    let fault: JSONError?

    /// Whether its end may have been lost on the way: it ends too early, and with the connection (RFC 9112, section
    /// 6.3). What has a length came whole, however it is written.
    let isCutOff: Bool

    /// What came, for a sentence: the reader's reason, or the media type; never the content.
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
            ?? "\(JSONDocument.typeName(of: response)) where JSON was due"
    }

    /// A form where the type allows one and a name shows it (GitHub's default, Facebook's `text/plain`). Of values with
    /// one name the last counts.
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
    /// No server is obeyed for longer.
    private static var longestWait: Duration { .seconds(3600) }

    /// How long `Retry-After` asks to wait, an hour at most; `now` is the unix time at which the answer came.
    func waitAsked(now: Int64) -> Duration? {
        retryAfter?.wait(now: serverDate ?? Int(now), cap: Self.longestWait)
    }

    /// Whether the transport has seen the body's end, and not only the connection's (RFC 9112, section 6.3).
    fileprivate var hasLength: Bool {
        status == 204 || headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
    }
}
