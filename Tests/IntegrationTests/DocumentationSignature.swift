// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Members
import StrictJSON
import TokendProtocol

/// What the page says of a method below its heading: `{parameters}` → `{result}`.
struct DocumentationSignature: Sendable {
    let required: Set<String>
    let optional: Set<String>
    let resultRequired: Set<String>
    let resultOptional: Set<String>

    /// The signatures of all methods, by name: the headings of the third level whose text is a method's name.
    static func all(in page: DocumentationPage) -> [String: DocumentationSignature] {
        let spans = sections(page).mapValues { $0.split(separator: "`", omittingEmptySubsequences: false) }
        return spans.mapValues { own in
            let params = names(own.count > 1 ? own[1] : "")
            var result = own.count > 3 ? own[3] : ""
            // `{…}` → as `login.wait`
            if let other = spans[String(result)], other.count > 3 { result = other[3] }
            let (required, optional) = names(result)
            return Self(required: params.0, optional: params.1, resultRequired: required, resultOptional: optional)
        }
    }

    /// Each method's name with the text that follows, up to the next heading.
    private static func sections(_ page: DocumentationPage) -> [String: String] {
        var sections: [String: String] = [:]
        var method: String?
        for (_, line) in page.prose {
            if line.hasPrefix("#") {
                method = line.hasPrefix("### `") ? line.filter { $0 != "`" && $0 != "#" && $0 != " " } : nil
            } else if let method {
                sections[method, default: ""] += line + " "
            }
        }
        return sections
    }

    private static func names(_ span: Substring) -> (Set<String>, Set<String>) {
        let words = span.filter { $0 != "{" && $0 != "}" && $0 != " " }.split(separator: ",")
        let optional = words.filter { $0.hasSuffix("?") }.map { String($0.dropLast()) }
        return (Set(words.filter { !$0.hasSuffix("?") }.map(String.init)), Set(optional))
    }
}

/// How one method's messages are declared, and are read and written again.
struct DocumentationCodec: Sendable {
    let parameters: [MemberOutline]
    let members: [MemberOutline]
    let params: @Sendable (JSONObject) throws -> JSONObject
    let result: @Sendable (JSONObject) throws -> JSONObject

    private init<Call: MethodCall>(_: Call.Type) {
        parameters = Call.Parameters.members.map(\.outline)
        members = Call.Result.members.map(\.outline)
        params = { try Call.Parameters(params: $0).encoded() }
        result = { try Call.Result(json: $0).encoded() }
    }

    /// Every method that is built, by its name.
    static let all = Dictionary(uniqueKeysWithValues: Route.all.map { ($0.method.rawValue, codec(of: $0.call)) })

    private static func codec<Call: MethodCall>(of call: Call.Type) -> DocumentationCodec {
        DocumentationCodec(call)
    }
}
