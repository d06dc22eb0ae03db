// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

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

/// How one method's messages are read and written again.
struct DocumentationCodec: Sendable {
    let names: [String]
    let params: @Sendable (JSONObject) throws -> JSONObject
    let result: @Sendable (JSONObject) throws -> JSONObject

    private init<Call: MethodCall>(_: Call.Type) {
        names = Call.Parameters.names
        params = { try Call.Parameters(params: $0).encoded() }
        result = { try Call.Result(json: $0).encoded() }
    }

    /// Every method that has types.
    static let all: [String: DocumentationCodec] = [
        "hello": Self(Hello.self), "token.get": Self(TokenGet.self), "status": Self(Status.self),
        "login.start": Self(LoginStart.self), "login.wait": Self(LoginWait.self),
        "login.check": Self(LoginCheck.self), "login.complete": Self(LoginComplete.self),
        "login.cancel": Self(LoginCancel.self), "logout": Self(Logout.self),
        "store.unlock": Self(StoreUnlock.self), "account.list": Self(AccountList.self),
        "account.show": Self(AccountShow.self), "account.add": Self(AccountAdd.self),
        "account.secret": Self(AccountSecret.self),
        "account.import": Self(AccountImport.self), "account.refresh": Self(AccountRefresh.self),
        "account.pause": Self(AccountPause.self), "account.resume": Self(AccountResume.self),
        "account.remove": Self(AccountRemove.self), "config.reload": Self(ConfigReload.self),
        "provider.list": Self(ProviderList.self), "provider.fetch": Self(ProviderFetch.self),
        "doctor": Self(Doctor.self), "events.subscribe": Self(EventsSubscribe.self),
        "policy.list": Self(PolicyList.self), "policy.revoke": Self(PolicyRevoke.self),
        "confirm.answer": Self(ConfirmAnswer.self),
    ]
}
