// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON

extension OAuthErrorBody {
    /// Reads the error of an answer in one of the forms in use, whatever its status; nil if there is none. `null`,
    /// `false`, "" and empty lists count as none. Secrets of the request are removed from every text: some servers
    /// repeat the refresh token that they refuse.
    init?(answer: JSONObject, status: Int, sent secrets: [Secret]) {
        let isRefused = answer["ok"]?.bool == false
        guard let found = Self.found(answer) ?? (isRefused ? Found() : nil) else { return nil }
        let description = answer["error_description"]?.string ?? found.description ?? Self.description(in: answer)
        self.init(found.code, description, answer, status: status, sent: secrets)
    }

    /// Reads an answer with an error status but no error code: its text, and possibly a code under another name
    /// (HubSpot's `status`, Supabase's `error_code`).
    init(unnamedIn answer: JSONObject, status: Int, sent secrets: [Secret]) {
        let codes = ["error_code", "code", "status"].lazy.compactMap { answer[$0]?.string }
        let code = codes.first { !$0.isEmpty && !["error", "fail", "failure"].contains($0.lowercased()) }
        self.init(code, Self.description(in: answer), answer, status: status, sent: secrets)
    }

    /// The message in a provider's own member: Twitch's `message`, Zoom's `reason`, problem details (RFC 9457).
    private static func description(in answer: JSONObject) -> String? {
        ["message", "msg", "error_message", "reason", "detail", "title"].lazy.compactMap { answer[$0]?.string }
            .first { !$0.isEmpty }
    }

    private init(
        _ code: String?,
        _ description: String?,
        _ answer: JSONObject,
        status: Int,
        sent secrets: [Secret]
    ) {
        // Cleaned again for display, since removing characters from a text can reveal a secret.
        func clean(_ text: String?) -> String? {
            text.map { Self.cut(DisplayText.sanitized(Self.cut($0, before: secrets), limit: 2000), before: secrets) }
        }
        self.init(
            error: clean(code) ?? "",
            description: clean(description),
            uri: clean(answer["error_uri"]?.string),
            suberror: clean(answer["suberror"]?.string ?? answer["error_subtype"]?.string),
            numbers: Self.numbers(answer, description: description),
            interval: answer["interval"].flatMap(Lifetime.wholeSeconds),
            status: status
        )
    }

    /// The text up to the first occurrence of a secret. Only the beginning of a long text is shown, and the beginning
    /// of a long secret is enough to recognise it.
    private static func cut(_ text: String, before secrets: [Secret]) -> String {
        let start = Array(text.utf8.prefix(2000))
        let ends = secrets.compactMap { secret in
            secret.withUnsafeBytes { bytes in
                let mark = bytes.prefix(32)
                return mark.count < 8 || mark.count > start.count
                    ? nil : (0...start.count - mark.count).first { start[$0...].starts(with: mark) }
            }
        }
        return ends.min().map { String(decoding: start[..<$0], as: UTF8.self) + "…" } ?? text
    }

    private struct Found {
        var code: String?
        var description: String?
    }

    private static func found(_ answer: JSONObject) -> Found? {
        switch answer["error"] {
        case .string(let code)? where !code.isEmpty: Found(code: code)
        case .number(let number)?: Found(code: number.text)
        case .bool(true)?: Found()
        case .object(let inner)? where !inner.isEmpty: found(inside: inner)
        case .array(let list)? where !list.isEmpty: found(in: list)
        default: answer["errors"]?.array.flatMap { $0.isEmpty ? nil : found(in: $0) } ?? deviceWord(in: answer)
        }
    }

    /// Twitch reports the state of a device login in `message` alone (RFC 8628, section 3.5).
    private static func deviceWord(in answer: JSONObject) -> Found? {
        let words = ["authorization_pending", "slow_down", "access_denied", "expired_token"]
        return answer["message"]?.string.flatMap { words.contains($0) ? Found(code: $0) : nil }
    }

    /// `errors[]`: the first one counts (Fitbit).
    private static func found(in list: [JSONValue]) -> Found {
        switch list.first {
        case .string(let code)?: Found(code: code)
        case .object(let inner)?: found(inside: inner)
        default: Found()
        }
    }

    /// An error object: the code under one of the names in use.
    private static func found(inside object: JSONObject) -> Found {
        let codes = ["error", "code", "errorType", "type", "status"].lazy.compactMap { object[$0]?.string }
        let descriptions = ["error_description", "description", "message"].lazy.compactMap { object[$0]?.string }
        let code = codes.first { !$0.isEmpty }
        // Strava names the parameter: `refresh_token`, `invalid`.
        let field = object["field"]?.string.map { "\($0) \(code ?? "")" }
        return Found(code: code, description: descriptions.first { !$0.isEmpty } ?? field)
    }

    /// Entra's numbers: `error_codes`, or `AADSTS…` at the beginning of the description.
    private static func numbers(_ answer: JSONObject, description: String?) -> [Int64] {
        if let numbers = answer["error_codes"]?.array?.compactMap(\.int64), !numbers.isEmpty {
            return numbers
        }
        guard let description, description.hasPrefix("AADSTS") else { return [] }
        let digits = description.dropFirst(6).prefix { $0.isASCII && $0.isNumber }
        return Int64(digits).map { [$0] } ?? []
    }
}
