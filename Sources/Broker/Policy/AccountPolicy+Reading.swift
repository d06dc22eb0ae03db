// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import StrictJSON

extension AccountPolicy {
    /// Reads `allow`, `confirm` and `administration` of an account's file.
    init(reading reader: inout MemberReader) {
        if let entries = reader.entries("allow", canLimit: true) { allow = entries }
        if let entries = reader.entries("administration", canLimit: false) { administration = entries }
        confirm = reader.word("confirm", as: ConfirmPolicy.self) ?? .never
    }
}

extension MemberReader {
    /// A client's name in an entry; adds a fault and returns nil if it is invalid.
    mutating func pattern(_ text: String, _ member: String) -> ClientPattern? {
        do throws(PatternFault) {
            return try ClientPattern(text)
        } catch {
            fault(member, "“\(DisplayText.sanitized(text))” \(error.message)")
            return nil
        }
    }

    /// A list of entries: names, or objects with a name and its settings; nil if the file has none.
    fileprivate mutating func entries(_ member: String, canLimit: Bool) -> [AccountPolicy.Entry]? {
        guard let value = value(member) else { return nil }
        guard let elements = value.array else {
            fault(member, "must be a list of clients, such as [\"exe:/usr/bin/mbsync\"]")
            return nil
        }
        return elements.compactMap { element in
            if let text = element.string { return pattern(text, member).map { .init($0) } }
            guard let object = element.object else {
                fault(member, "must hold names of clients, or objects with a “client”")
                return nil
            }
            return entry(object, member, canLimit: canLimit)
        }
    }

    private mutating func entry(_ object: JSONObject, _ member: String, canLimit: Bool) -> AccountPolicy.Entry? {
        guard let client = object["client"]?.string.flatMap({ pattern($0, member) }) else {
            fault(member, "has an entry without a “client”")
            return nil
        }
        var entry = AccountPolicy.Entry(client)
        for part in object where part.name != "client" {
            switch (part.name, part.value.string) {
            case ("scope", let text?) where canLimit && !Scope(text).isEmpty: entry.limits.scope = Scope(text)
            case ("resource", let text?) where canLimit && FormParameters.isResource(text): entry.limits.resource = text
            case ("confirm", let text?) where canLimit && ConfirmPolicy(rawValue: text) != nil:
                entry.confirm = ConfirmPolicy(rawValue: text)
            case ("confirm", let text?) where canLimit:
                let words = ConfirmPolicy.allCases.map(\.rawValue)
                fault(member, "“confirm” of \(client.text) \(ClosedWords.refusal(of: text, among: words))")
            default:
                fault(member, "“\(DisplayText.sanitized(part.name))” of \(client.text) cannot be that here")
            }
        }
        return entry
    }
}
