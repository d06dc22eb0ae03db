// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import HTTPTypes
import StrictJSON
import Testing

@testable import OAuth

/// The files of `Vectors`, and small values that many tests use.
enum Vectors {
    /// A real provider's metadata document.
    static func metadata(_ name: String) throws -> JSONObject {
        try #require(JSONReader().read(try bytes("metadata/\(name).json")).object)
    }

    /// A token endpoint's answer in the shape of a named provider.
    static func answer(_ name: String) throws -> JSONObject {
        for line in try bytes("token-answers.jsonl").split(separator: UInt8(ascii: "\n")) {
            if let shape = try JSONReader().read(Array(line)).object?[name]?.object {
                return shape
            }
        }
        throw VectorError(name: name)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Vectors/" + path)))
    }
}

/// A vector that is not there.
struct VectorError: Error {
    let name: String
}

extension HTTPResponse {
    /// An answer with a JSON body.
    static func json(_ object: JSONObject, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/json; charset=utf-8"
        return HTTPResponse(status: status, headers: headers, body: JSONWriter.bytes(.object(object)))
    }

    /// An answer with a body of some type.
    static func text(_ text: String, type: String, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = type
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}

/// The moment at which the tests' answers come: 2026-08-09 02:02:12 UTC.
let now: Int64 = 1_786_240_932

extension TokenAnswer {
    /// Reads an answer that came a second after its request.
    static func read(
        _ response: HTTPResponse,
        requested: Scope = [],
        issuer: Issuer? = nil,
        dialect: ProviderDialect = ProviderDialect()
    ) -> TokenAnswer {
        read(response, sentAt: now - 1, now: now, requested: requested, issuer: issuer, dialect: dialect)
    }

    var success: TokenResponse? { if case .success(let response) = self { response } else { nil } }
    var invalid: InvalidTokenResponse? { if case .invalid(let response) = self { response } else { nil } }

    /// The case's name, to compare.
    var kind: String {
        switch self {
        case .success: "success"
        case .invalid: "invalid"
        case .dpopNonce: "dpopNonce"
        case .grantEnded: "grantEnded"
        case .userWanted: "userWanted"
        case .misconfigured: "misconfigured"
        case .throttled: "throttled"
        case .unavailable(_, let lost): lost ? "lost" : "unavailable"
        case .unknown: "unknown"
        }
    }

    /// The error that it holds.
    var error: OAuthErrorBody? {
        switch self {
        case .grantEnded(let error), .userWanted(let error), .misconfigured(let error), .throttled(let error, _),
            .unknown(let error):
            error
        default: nil
        }
    }

    /// The members of a plain good answer, some of them replaced.
    static func good(_ changes: JSONObject = [:]) -> JSONObject {
        var members: JSONObject = ["access_token": "at", "token_type": "Bearer", "expires_in": 3600]
        for member in changes {
            members[member.name] = member.value
        }
        return members
    }
}
