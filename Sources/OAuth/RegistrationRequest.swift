// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import HTTPTypes
package import Secrets
package import StrictJSON

/// The request to register this program as a client of a provider (RFC 7591, sections 2 and 3.1).
package struct RegistrationRequest: Sendable {
    /// Identifies this program at every provider, in all versions.
    package static let softwareID = "5b1f6c0e-8f0e-4d0c-9a3a-6f2d1f0a7c55"

    package var redirectURIs: [String]
    package var scope: Scope = []
    package var authentication = ClientAuthenticationMethod.none
    package var grantTypes = ["authorization_code", "refresh_token"]
    /// The public part of the client's key, if it authenticates by one.
    package var publicKey: JSONObject?
    package var softwareVersion: String

    /// Whether the client is for device logins (RFC 8628).
    package var isForDevice: Bool { grantTypes.contains(TokenRequest.deviceGrantType) }

    package init(redirectURIs: [String], softwareVersion: String) {
        self.redirectURIs = redirectURIs
        self.softwareVersion = softwareVersion
    }

    /// The loopback redirects to register for one with a listener: both literals, since only the other family may be
    /// available at the next sign-in (RFC 8252, section 7.3); any other URI alone.
    package static func redirects(for uri: String) -> [String] {
        let literals = ["http://127.0.0.1", "http://[::1]"]
        guard let own = literals.first(where: { uri.hasPrefix($0 + ":") || uri.hasPrefix($0 + "/") }) else {
            return [uri]
        }
        let rest = uri.dropFirst(own.count)
        return [uri] + literals.filter { $0 != own }.map { $0 + rest }
    }

    /// The HTTP request; `initialAccessToken` is the provider's token for it (section 3).
    package func httpRequest(endpoint: WebURL, initialAccessToken: Secret? = nil) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/json"]
        if let initialAccessToken { headers["Authorization"] = "Bearer " + initialAccessToken.reveal() }
        return HTTPRequest(
            method: .post,
            url: endpoint,
            headers: headers,
            body: Secret(bytes: JSONWriter.bytes(.object(metadata)))
        )
    }

    private var metadata: JSONObject {
        var object: JSONObject = [
            "client_name": "tokend", "application_type": "native",
            "token_endpoint_auth_method": .string(authentication.rawValue),
            "grant_types": .array(grantTypes.map { .string($0) }), "response_types": ["code"],
            "software_id": .string(Self.softwareID), "software_version": .string(softwareVersion),
        ]
        object["redirect_uris"] = redirectURIs.isEmpty ? nil : .array(redirectURIs.map { .string($0) })
        object["scope"] = scope.text.isEmpty ? nil : .string(scope.text)
        object["jwks"] = publicKey.map { ["keys": [.object($0)]] }
        return object
    }
}
