// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import StrictJSON

/// Reads documents that must be JSON objects: metadata, key sets, user information.
enum JSONDocument {
    /// The media type of an answer that is not JSON, for a sentence; never the content.
    static func typeName(of response: HTTPResponse) -> String {
        guard !response.body.isEmpty else { return "nothing" }
        return response.mediaType?.shown(limit: 60) ?? "text of no named type"
    }

    /// The object in an answer with status 200.
    static func read(
        _ response: HTTPResponse,
        named name: String,
        limit: Int
    ) throws(OAuthError) -> JSONObject {
        guard response.body.count <= limit else {
            throw OAuthError(.invalidDocument, "the provider's \(name) is larger than \(limit) bytes")
        }
        let value: JSONValue
        do {
            value = try ProviderJSON.read(response.body)
        } catch {
            throw OAuthError(
                .invalidDocument,
                "the provider's \(name) cannot be read: \(error.place)",
                underlying: error
            )
        }
        guard let object = value.object else {
            throw OAuthError(.invalidDocument, "the provider's \(name) is no JSON object")
        }
        return object
    }
}
