// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import StrictJSON

/// Where a client's secret or key may be sent: recorded when it is given, and compared with the account's file before
/// each use, so that no edit of the file sends it elsewhere.
///
/// The client authentication and the proxy are not part of it: neither shows the secret to another party.
package struct ClientDestination: Sendable, Equatable {
    package var issuer: String
    package var namesIssuer: Bool
    /// Empty for an account whose client is registered at sign-in.
    package var clientID: String
    /// The endpoints that the account's file sets, by their names in the file.
    package var endpoints: [String: String]
    package var caDigests: [String]

    package init(account: AccountConfiguration, wire: DaemonConfiguration.Wire) {
        issuer = account.issuerName
        namesIssuer = account.issuer != nil
        clientID = account.registersClient ? "" : account.clientID
        endpoints = account.endpoints.named.mapValues(\.text)
        caDigests = [wire.caDigest, account.caDigest].compactMap(\.self)
    }

    package var json: JSONObject {
        var urls: JSONObject = [:]
        for (name, url) in endpoints.sorted(by: { $0.key < $1.key }) { urls[name] = .string(url) }
        return [
            "issuer": .string(issuer), "names_issuer": .bool(namesIssuer), "client_id": .string(clientID),
            "endpoints": .object(urls), "ca_digests": .array(caDigests.map { .string($0) }),
        ]
    }

    /// nil where a member is missing or of another type.
    package init?(json: JSONObject) {
        guard let issuer = json["issuer"]?.string, let namesIssuer = json["names_issuer"]?.bool,
            let clientID = json["client_id"]?.string, let urls = json["endpoints"]?.object,
            let digests = json["ca_digests"]?.array
        else { return nil }
        self.issuer = issuer
        self.namesIssuer = namesIssuer
        self.clientID = clientID
        endpoints = [:]
        for member in urls { endpoints[member.name] = member.value.string }
        caDigests = digests.compactMap(\.string)
    }
}
