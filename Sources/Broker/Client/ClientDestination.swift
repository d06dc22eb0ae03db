// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
package import Members

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
}

extension ClientDestination: StoredRecord {
    package static let members: [Member<Self>] = [
        .required("issuer", \.issuer),
        .required("names_issuer", \.namesIssuer),
        .required("client_id", \.clientID),
        .required("endpoints", \.endpoints),
        .required("ca_digests", \.caDigests),
    ]

    package init() {
        issuer = ""
        namesIssuer = false
        clientID = ""
        endpoints = [:]
        caDigests = []
    }
}
