// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Secrets

/// The stored secrets of one account's client: those that a user gave, and those that providers registered.
package struct ClientRecord: Sendable, Equatable {
    /// A secret that a user gave, and where it may be sent.
    package struct Given: Sendable, Equatable {
        package var value: Secret
        package var destination: ClientDestination

        package init(value: Secret, destination: ClientDestination) {
            self.value = value
            self.destination = destination
        }
    }

    package var clientSecret: Given?
    /// A private key, as PEM or JWK.
    package var clientKey: Given?
    /// Lets the client register itself (RFC 7591, section 3).
    package var initialAccessToken: Given?
    /// Clients that providers registered, the newest last: the one for the next sign-in, and the held grant's, if it is
    /// another.
    package var registrations: [ClientRegistration] = []

    package init() {}

    package var isEmpty: Bool {
        clientSecret == nil && clientKey == nil && initialAccessToken == nil && registrations.isEmpty
    }

    /// What a user gave of that kind.
    package subscript(_ kind: ClientSecretKind) -> Given? {
        get {
            switch kind {
            case .clientSecret: clientSecret
            case .clientKey: clientKey
            case .initialAccessToken: initialAccessToken
            }
        }
        set {
            switch kind {
            case .clientSecret: clientSecret = newValue
            case .clientKey: clientKey = newValue
            case .initialAccessToken: initialAccessToken = newValue
            }
        }
    }
}

/// What a user can give for a client; the raw value is the `kind` of `account.secret`.
package enum ClientSecretKind: String, Sendable, CaseIterable {
    case clientSecret = "client_secret"
    case clientKey = "client_key"
    case initialAccessToken = "initial_access_token"

    /// For users.
    package var title: String {
        switch self {
        case .clientSecret: "client secret"
        case .clientKey: "client key"
        case .initialAccessToken: "initial access token"
        }
    }
}

/// A client as a provider has registered it (RFC 7591, section 3.2.1).
package struct ClientRegistration: Sendable, Equatable {
    /// Where it was registered; it is used nowhere else.
    package var destination: ClientDestination
    package var clientID: String
    package var clientSecret: Secret?
    /// Unix seconds; nil where the secret never ends.
    package var secretExpiresAt: Int64?
    /// How the client authenticates, according to the provider.
    package var authentication: String
    package var redirectURIs: [String]
    /// Whether it may ask for the codes of a device login (RFC 8628).
    package var takesDeviceCodes = false
    package var registrationAccessToken: Secret?
    package var registrationClientURI: String?
    /// Unix seconds.
    package var registeredAt: Int64
    /// The provider no longer knows the client: the next sign-in registers a new one.
    package var isRefused = false

    package init(
        destination: ClientDestination,
        clientID: String,
        authentication: String,
        redirectURIs: [String],
        registeredAt: Int64
    ) {
        self.destination = destination
        self.clientID = clientID
        self.authentication = authentication
        self.redirectURIs = redirectURIs
        self.registeredAt = registeredAt
    }
}
