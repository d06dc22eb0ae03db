// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Secrets
import StrictJSON

extension TokenResponse {
    /// The inputs of reading besides the answer.
    struct Context {
        /// The provider's time, as far as it is known.
        let clock: Int64
        let issuer: Issuer?
        let requested: Scope
        let dialect: ProviderDialect
    }

    /// Reads the members of an answer without an error.
    init(members answer: JSONObject, context: Context) throws(InvalidTokenResponse) {
        let members = Self.tokenMembers(of: answer)
        let refreshToken = Self.refreshToken(members)
        func invalid(_ reason: String) -> InvalidTokenResponse {
            InvalidTokenResponse(reason: reason, refreshToken: refreshToken)
        }
        if let value = members["refresh_token"], !value.isNull, value.intactText == nil {
            let what = value.string == nil ? "is \(value.kindName), not a string" : "has bytes in it that are no text"
            throw InvalidTokenResponse(
                reason: "the provider's refresh_token \(what)",
                refreshToken: nil,
                isUnread: value.string != nil
            )
        }
        guard let text = members["access_token"]?.string, !text.isEmpty else {
            throw invalid("the provider's answer has no access_token")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid("the provider's access_token has characters that no header can carry")
        }
        if let fault = Self.typeFault(members, isSlack: answer["ok"]?.bool == true, dialect: context.dialect) {
            throw invalid(fault)
        }
        var notes: [String] = []
        accessToken = Secret(text)
        tokenType = "Bearer"
        lifetime = Self.lifetime(members, token: text, context: context, notes: &notes)
        self.refreshToken = refreshToken
        scope = Self.scope(members, requested: context.requested, notes: &notes)
        if let value = members["id_token"], !value.isNull, value.string == nil {
            throw invalid("the provider's id_token is \(value.kindName), not a string")
        }
        idToken = members["id_token"]?.intactText.flatMap { $0.isEmpty ? nil : Secret($0) }
        grantLifetime = Self.grantLifetime(members)
        extra = Self.extra(answer)
        self.notes = notes
    }

    /// The token's members: Slack nests a user's token in `authed_user`.
    private static func tokenMembers(of answer: JSONObject) -> JSONObject {
        guard answer["access_token"] == nil, let nested = answer["authed_user"]?.object,
            nested["access_token"] != nil
        else { return answer }
        return nested
    }

    /// A non-empty string replaces the old token; null, "" and absence keep it.
    private static func refreshToken(_ members: JSONObject) -> Secret? {
        members["refresh_token"]?.intactText.flatMap { $0.isEmpty ? nil : Secret($0) }
    }

    /// `bearer` in any case (RFC 6749, sections 5.1 and 7.1); Slack states the token's owner instead.
    private static func typeFault(_ members: JSONObject, isSlack: Bool, dialect: ProviderDialect) -> String? {
        guard let value = members["token_type"], !value.isNull else {
            return dialect.missingTypeIsBearer
                ? nil
                : "the provider's answer has no token_type "
                    + "(dialect.missing_type_is_bearer in the account's file takes such a token for Bearer)"
        }
        guard let type = value.string?.lowercased() else {
            return "the provider's token_type is \(value.kindName), not a string"
        }
        let accepted =
            type == "bearer" || (isSlack && (type == "user" || type == "bot"))
            || dialect.bearerNames.contains { $0.lowercased() == type }
        let shown = DisplayText.sanitized(type, limit: 40)
        return accepted
            ? nil
            : "the provider's token_type is not Bearer but “\(shown)” "
                + "(where that is its name for Bearer: dialect.bearer_names in the account's file)"
    }

    /// The stated lifetime; if there is none, a JWT's own `exp` as a hint.
    private static func lifetime(
        _ members: JSONObject,
        token: String,
        context: Context,
        notes: inout [String]
    ) -> Lifetime {
        let stated = Lifetime.read(members, clock: context.clock, dialect: context.dialect, notes: &notes)
        guard stated == .unknown, let issuer = context.issuer,
            let hint = AccessTokenHint.lifetime(of: token, issuer: issuer, clock: context.clock)
        else { return stated }
        return .seconds(hint)
    }

    /// The longest accepted scope, in bytes: it is in every answer to a client.
    private static let longestScope = 16 * 1024

    /// `scope`, or Bitbucket's `scopes`. Empty, null and very long ones count as absent (section 3.2).
    private static func scope(_ members: JSONObject, requested: Scope, notes: inout [String]) -> Scope? {
        let name = members["scope"].map { $0.isNull ? "scopes" : "scope" } ?? "scopes"
        guard let value = members[name], !value.isNull else { return nil }
        let texts = [value.string].compactMap(\.self) + (value.array ?? []).compactMap(\.string)
        guard texts.reduce(0, { $0 + $1.utf8.count + 1 }) <= longestScope else {
            notes.append("\(name) is longer than \(longestScope) bytes")
            return nil
        }
        guard let scope = Scope(answer: value, requested: requested) else {
            notes.append("\(name) is \(value.kindName)")
            return nil
        }
        return scope.isEmpty ? nil : scope
    }

    /// The grant's own lifetime; 0 means unlimited.
    private static func grantLifetime(_ members: JSONObject) -> Int64? {
        for name in ["refresh_token_expires_in", "refresh_expires_in"] {
            if let seconds = members[name].flatMap(Lifetime.wholeSeconds), seconds > 0 {
                return seconds
            }
        }
        return nil
    }

    /// The members that OAuth and OpenID Connect define in a token answer.
    private static let defined: Set<String> = [
        "access_token", "token_type", "expires_in", "refresh_token", "scope", "id_token", "issued_token_type",
        "error", "error_description", "error_uri", "authorization_details",
    ]

    private static func extra(_ answer: JSONObject) -> JSONObject {
        withoutSecrets(answer.keeping { !defined.contains($0) })
    }

    /// Drops members named like a token or a secret, at any depth: `extra` must not contain a refresh token.
    private static func withoutSecrets(_ object: JSONObject) -> JSONObject {
        object.keeping {
            let name = $0.lowercased()
            return !name.hasSuffix("token") && !name.contains(text: "secret")
        } as: {
            withoutSecrets($0)
        }
    }

    private static func withoutSecrets(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object): .object(withoutSecrets(object))
        case .array(let elements): .array(elements.map { withoutSecrets($0) })
        default: value
        }
    }
}

extension Scope {
    /// Reads a granted scope: text separated by spaces or (GitHub, Slack) by commas, or a list (Twitch). A requested
    /// token that contains a comma stays whole. Text joined by `+` is split if all parts were requested. A token with
    /// invalid characters (RFC 6749, section 3.3, except quotes and backslashes) is dropped, since scopes are shown to
    /// users. Nil if the value is neither text nor a list of texts.
    init?(answer value: JSONValue, requested: Scope) {
        let texts: [String]
        switch value {
        case .string(let text):
            texts = [text]
        case .array(let elements):
            texts = elements.compactMap(\.string)
            guard texts.count == elements.count else { return nil }
        default:
            return nil
        }
        let words = texts.flatMap { Scope($0).tokens }
        self.init(
            words.flatMap { word in
                guard !requested.contains(word) else { return [word] }
                let joined = word.split(separator: "+").map(String.init)
                if joined.count > 1, joined.allSatisfy(requested.contains) { return joined }
                return word.split(separator: ",").map(String.init).filter(Self.isToken)
            }
        )
    }

    private static func isToken(_ word: String) -> Bool { word.utf8.allSatisfy { (0x21...0x7e).contains($0) } }
}
