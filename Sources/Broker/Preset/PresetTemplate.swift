// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import StrictJSON

/// A preset's settings with a user's answers in place of `{NAME}`.
struct PresetTemplate {
    let answers: [String: String]

    /// The account's settings; each keeps its position in the preset's file.
    func filled(_ settings: JSONObject) -> JSONObject {
        settings.replacing { filled($0) }
    }

    private func filled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(filled(text))
        case .array(let elements): .array(elements.map { filled($0) })
        case .object(let object): .object(filled(object))
        case .null, .bool, .number: value
        }
    }

    /// A slash at an answer's end is merged with a following one.
    private func filled(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let place = Self.place(in: rest) {
            result += rest[..<place.range.lowerBound]
            rest = rest[place.range.upperBound...]
            let answer = answers[place.name] ?? "{\(place.name)}"
            result += rest.first == "/" && answer.last == "/" ? String(answer.dropLast()) : answer
        }
        return result + rest
    }

    /// The names of all placeholders in the settings.
    static func places(in settings: JSONObject) -> [String] {
        settings.flatMap { places(in: $0.value) }
    }

    private static func places(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text):
            var names: [String] = []
            var rest = text[...]
            while let place = place(in: rest) {
                names.append(place.name)
                rest = rest[place.range.upperBound...]
            }
            return names
        case .array(let elements): return elements.flatMap { places(in: $0) }
        case .object(let object): return places(in: object)
        case .null, .bool, .number: return []
        }
    }

    /// The first `{NAME}`; `{tenantid}` in an issuer is the provider's own.
    private static func place(in text: Substring) -> (name: String, range: Range<Substring.Index>)? {
        var rest = text
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let range = open..<rest.index(after: close)
            if text[range] != Issuer.tenantPlaceholder {
                return (String(text[rest.index(after: open)..<close]), range)
            }
            rest = text[range.upperBound...]
        }
        return nil
    }
}
