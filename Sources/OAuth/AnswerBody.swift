// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON

/// The content of a provider's answer, read by what it is and not only by what `Content-Type` says.
struct AnswerBody {
    /// The members; nil where the content is neither a JSON object nor a form.
    let object: JSONObject?

    /// Whether it begins like JSON, or is empty, and cannot be read: an answer that was cut off.
    let isCutOff: Bool

    init(_ response: HTTPResponse) {
        if JSONDocument.looksLikeObject(response.body) {
            object = (try? JSONReader().read(response.body))?.object
            isCutOff = object == nil
        } else {
            object = Self.form(response)
            isCutOff = response.body.isEmpty
        }
    }

    /// A form where the type allows one and a name shows it (GitHub's default, Facebook's `text/plain`).
    private static func form(_ response: HTTPResponse) -> JSONObject? {
        let types = ["application/x-www-form-urlencoded", "text/plain"]
        guard let type = response.mediaType, types.contains(type),
            let form = FormParameters.decode(response.body),
            ["access_token", "error", "device_code"].contains(where: { form.secret($0) != nil })
        else { return nil }
        return JSONObject(distinct: form.lazy.map { ($0.name, .string($0.value)) })
    }
}

extension HTTPResponse {
    /// No server is obeyed for longer.
    private static var longestWait: Duration { .seconds(3600) }

    /// How long `Retry-After` asks to wait, an hour at most; `now` is the unix time at which the answer came.
    func waitAsked(now: Int64) -> Duration? {
        retryAfter?.wait(now: serverDate ?? Int(now), cap: Self.longestWait)
    }
}
