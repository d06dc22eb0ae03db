// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON

extension OAuthErrorBody {
    /// Reads the error that an answer names in one of the shapes in use, whatever its status; nil where it
    /// names none. `null`, `false`, "" and empty lists name none.
    init?(answer: JSONObject, status: Int) {
        let isRefused = answer["ok"]?.bool == false
        guard let found = Self.found(answer) ?? (isRefused ? Found() : nil) else { return nil }
        let description = answer["error_description"]?.string ?? found.description ?? answer["message"]?.string
        self.init(
            error: found.code ?? "",
            description: description,
            uri: answer["error_uri"]?.string,
            suberror: answer["suberror"]?.string ?? answer["error_subtype"]?.string,
            numbers: Self.numbers(answer, description: description),
            status: status
        )
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
        default: answer["errors"]?.array.flatMap { $0.isEmpty ? nil : found(in: $0) }
        }
    }

    /// `errors[]`: the first one counts (Fitbit).
    private static func found(in list: [JSONValue]) -> Found {
        switch list.first {
        case .string(let code)?: Found(code: code)
        case .object(let inner)?: found(inside: inner)
        default: Found()
        }
    }

    /// An error that is an object: the code under one of the names in use.
    private static func found(inside object: JSONObject) -> Found {
        let codes = ["error", "code", "errorType", "type", "status"].lazy.compactMap { object[$0]?.string }
        let descriptions = ["error_description", "description", "message"].lazy.compactMap { object[$0]?.string }
        return Found(code: codes.first { !$0.isEmpty }, description: descriptions.first { !$0.isEmpty })
    }

    /// Entra's numbers: `error_codes`, or `AADSTS…` at the front of the description.
    private static func numbers(_ answer: JSONObject, description: String?) -> [Int64] {
        if let numbers = answer["error_codes"]?.array?.compactMap(\.int64), !numbers.isEmpty {
            return numbers
        }
        guard let description, description.hasPrefix("AADSTS") else { return [] }
        let digits = description.dropFirst(6).prefix { $0.isASCII && $0.isNumber }
        return Int64(digits).map { [$0] } ?? []
    }
}
