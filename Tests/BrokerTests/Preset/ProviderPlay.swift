// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import HTTPTypes
import JOSE
import OAuth
import StrictJSON
import Testing

@testable import Broker

/// One provider as its own documents and answers show it, for a sign-in, a renewal and the end of the grant.
struct ProviderPlay: Sendable, CustomTestStringConvertible {
    /// Where its metadata is from.
    enum Metadata: Sendable {
        /// A capture of the real document.
        case real(String)
        /// A document of the form that it publishes: the issuer's path for each endpoint.
        case form(authorization: String, token: String)
        /// As `form`, published as RFC 8414 has it, and not as OpenID does.
        case oauthForm(authorization: String, token: String)
        /// None: the preset names the endpoints.
        case none
    }

    /// The preset.
    var name: String
    var set: JSONObject = [:]
    var metadata = Metadata.none
    /// The answer to the code; its ID token is made as the provider would.
    var answer: JSONObject
    /// The answer to a renewal; nil: the same without its refresh token.
    var renewal: JSONObject?
    /// The refusal of a renewal, with its status.
    var refusal: (answer: JSONObject, status: Int)
    /// What the ID token says beside the usual.
    var claims: JSONObject = [:]
    /// What the grant covers in the end.
    var scope: String?
    /// How long the first access token lives.
    var lifetime: Int64?
    /// Members of the answer that programs get.
    var extra: [String] = []
    /// The error of a renewal that is refused.
    var refused = "login_required"
    /// Whether there is anything to renew with.
    var isRenewable = true
    /// What a device login's polls are answered with while the user is not done.
    var pending: [(answer: JSONObject, status: Int)] = []
    /// Whether the codes come as a form (GitHub's default).
    var codesAsForm = false

    var testDescription: String { name }

    /// A capture of a metadata document.
    static func document(_ name: String) throws -> JSONObject {
        try object(try bytes("metadata/\(name).json"))
    }

    /// A named answer of the collection.
    static func shape(_ name: String) -> JSONObject {
        let lines = (try? bytes("token-answers.jsonl"))?.split(separator: UInt8(ascii: "\n")) ?? []
        let found = lines.lazy.compactMap { try? object(Array($0))[name]?.object }.first
        precondition(found != nil, "There is no shape \(name).")
        return found ?? [:]
    }

    private static func object(_ bytes: [UInt8]) throws -> JSONObject {
        try #require(JSONReader().read(bytes).object)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let vectors = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../OAuthTests/Vectors")
        return Array(try Data(contentsOf: vectors.appending(path: path)))
    }

    static let ended = (answer: ["error": "invalid_grant"] as JSONObject, status: 400)

    /// A plain answer.
    static func plain(_ scope: String, expiresIn: Int64 = 3600, refresh: String? = "r1", _ more: JSONObject = [:])
        -> JSONObject
    {
        var object: JSONObject = [
            "access_token": "a1", "token_type": "Bearer", "expires_in": .integer(expiresIn), "scope": .string(scope),
        ]
        object["refresh_token"] = refresh.map { .string($0) }
        for member in more { object[member.name] = member.value }
        return object
    }
}

extension JSONObject {
    /// The same with some members replaced; null removes.
    func with(_ changes: JSONObject) -> JSONObject {
        var object = self
        for member in changes { object[member.name] = member.value.isNull ? Optional.none : member.value }
        return object
    }
}
