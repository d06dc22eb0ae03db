// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import StrictJSON

/// A client that is registered at the provider.
package struct ProviderClient: Sendable {
    package var id: String
    /// Nil for a public client, which then must not authenticate.
    package var secret: String?
    /// The one way in which it must authenticate; nil: any that fits.
    package var authentication: String?
    /// The public part of its key, for assertions.
    package var key: JSONValue?
    /// Compared byte for byte, but for the port of a loopback literal (RFC 8252, section 7.3).
    package var redirectURIs: [String]
    /// Where browsers may be sent after a logout; compared as the redirects are.
    package var postLogoutURIs: [String] = []

    /// The client as a test registers it.
    package init(
        id: String = "tokend",
        secret: String? = nil,
        redirectURIs: [String] = [
            "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback",
            "com.example.app:/cb", "https://app.example.com/cb",
        ]
    ) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
    }
}

/// A user who has an account at the provider.
package struct ProviderUser: Sendable {
    package var name = "alice"
    package var password = "wonderland"
    package var subject = "subject-1"
    package var email = "alice@example.org"

    /// Alice.
    package init() {}

    package static var bob: Self {
        var user = Self()
        (user.name, user.password, user.subject, user.email) = ("bob", "builder", "subject-bob", "bob@example.org")
        return user
    }
}

/// How the provider treats those who keep its rules; `Behaviour` is for what breaks them.
package struct ProviderSettings: Sendable {
    /// What the authorization endpoint does with a request that is in order.
    package enum Authorization: Sendable {
        /// Shows a form and waits for name and password.
        case form
        /// Redirects at once, as after a single sign-on.
        case approve
        /// Redirects at once with this error.
        case deny(error: String)
    }

    package enum RefreshTokens: Sendable {
        case none
        /// One token for the grant's whole life.
        case lasting
        /// A new token at each use. The one before may be used again for `grace`, later use ends the grant.
        case rotating(grace: Duration)
    }

    package enum PushedRequests: Sendable {
        case none, offered, required
    }

    /// The origin under which clients reach it, where something stands in front; nil for its own.
    package var publicOrigin: String?
    /// A path behind the origin, as multi-tenant providers have it; it begins with a slash and does not end in one.
    package var issuerPath = ""
    package var clients = [ProviderClient()]
    package var user = ProviderUser()
    /// Who else can sign in with the form.
    package var otherUsers: [ProviderUser] = []
    /// What the names of the signing keys begin with.
    package var keyPrefix = "key"
    /// Whether answers carry the provider's time.
    package var sendsDate = false
    package var authorization = Authorization.form
    package var refreshTokens = RefreshTokens.rotating(grace: .zero)
    package var scopes = ["openid", "profile", "email", "offline_access", "read", "write"]
    /// What is granted whatever was asked for; nil grants what was asked for.
    package var grantedScope: String?
    /// Whether scopes choose the resource of a token, one each, and its answer covers all of that resource (Entra).
    package var scopesChooseResource = false
    /// The resources that tokens are given out for (RFC 8707); nil: any.
    package var resources: [String]?
    /// Life of an access token in seconds.
    package var accessTokenLifetime = 3600
    /// Life of an ID token in seconds.
    package var idTokenLifetime = 3600
    /// Whether a refresh answers with an ID token too.
    package var refreshesIDToken = true
    /// Whether the redirect carries `iss` (RFC 9207), and the metadata says so.
    package var sendsIssuer = true
    /// Whether there is an endpoint, and the metadata names it.
    package var hasRevocation = true
    package var hasUserinfo = true
    package var hasDeviceFlow = true
    /// Seconds between two polls of a device login, and how many its codes live.
    package var deviceInterval = 1
    package var deviceCodeLifetime = 600
    /// Whether clients may register themselves.
    package var hasRegistration = false
    /// What a registration must come with; nil: nothing.
    package var initialAccessToken: String?
    /// How registered clients must authenticate, whatever they asked for.
    package var registeredAuthentication: String?
    /// Life of a registered client's secret in seconds; nil: for ever.
    package var registeredSecretLifetime: Int?

    package var hasEndSession = false
    /// Whether authorization requests may, or must, be pushed (RFC 9126).
    package var pushedRequests = PushedRequests.none

    /// A public native client, a sign-in form, rotation without grace.
    package init() {}

    /// Whose subject this is; the first user's where it is nobody's any more.
    func user(ofSubject subject: String) -> ProviderUser {
        otherUsers.first { $0.subject == subject } ?? user
    }

    /// As above, with an authorization endpoint that asks no one.
    package static var approving: Self {
        var settings = Self()
        settings.authorization = .approve
        return settings
    }
}
