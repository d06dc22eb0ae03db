// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import Members
import OAuth
import StrictJSON
import Testing

@testable import Broker

/// Where a grant may go: what is recorded with it, against what the files say now.
@Suite struct GrantDestinationTests {
    private static func account() throws -> AccountConfiguration {
        var account = AccountConfiguration(name: "work", issuer: try Issuer("https://i.example"), clientID: "c")
        account.endpoints.token = try WebURL("https://i.example/token")
        account.endpoints.userinfo = try WebURL("https://i.example/userinfo")
        account.caFile = "/ca.pem"
        account.caDigest = "d1"
        return account
    }

    private static func wire() -> DaemonConfiguration.Wire {
        var wire = DaemonConfiguration.Wire()
        wire.proxy = "http://p.example"
        wire.caDigest = "d0"
        return wire
    }

    private static func metadata(_ token: String = "https://d.example/token") throws -> ProviderMetadata {
        var metadata = ProviderMetadata()
        metadata.tokenEndpoint = try WebURL(token)
        metadata.revocationEndpoint = try WebURL("https://d.example/revoke")
        return metadata
    }

    private static func destination() throws -> GrantDestination {
        GrantDestination(account: try account(), wire: wire(), metadata: try metadata())
    }

    /// One edit of what a grant is bound to.
    struct Edit: Sendable, CustomStringConvertible {
        let description: String
        let change: @Sendable (inout AccountConfiguration, inout DaemonConfiguration.Wire) throws -> Void

        init(
            _ description: String,
            _ change: @escaping @Sendable (inout AccountConfiguration, inout DaemonConfiguration.Wire) throws -> Void
        ) {
            self.description = description
            self.change = change
        }
    }

    static let bound = [
        Edit("issuer") { account, _ in account.issuer = try Issuer("https://i.example/") },
        Edit("no issuer") { account, _ in account.issuer = nil },
        Edit("client") { account, _ in account.clientID = "C" },
        Edit("how the client shows itself") { account, _ in account.clientAuthentication = .clientSecretPost },
        Edit("a client that is registered") { account, _ in account.registersClient = true },
        Edit("token endpoint") { account, _ in account.endpoints.token = try WebURL("https://evil.example/token") },
        Edit("no token endpoint") { account, _ in account.endpoints.token = nil },
        Edit("userinfo") { account, _ in account.endpoints.userinfo = try WebURL("https://evil.example/u") },
        Edit("no userinfo") { account, _ in account.endpoints.userinfo = nil },
        Edit("revocation") { account, _ in account.endpoints.revocation = try WebURL("https://evil.example/r") },
        Edit("introspection") { account, _ in account.endpoints.introspection = try WebURL("https://evil.example/i") },
        Edit("end of session") { account, _ in account.endpoints.endSession = try WebURL("https://evil.example/e") },
        Edit("the application's backend") { account, _ in
            account.exchange = ApplicationExchange(url: try WebURL("https://evil.example/x"))
        },
        Edit("the CA's content") { account, _ in account.caDigest = "d2" },
        Edit("no CA") { account, _ in account.caDigest = nil },
        Edit("the daemon's CA") { _, wire in wire.caDigest = "d3" },
        Edit("proxy") { _, wire in wire.proxy = "http://evil.example" },
        Edit("no proxy") { _, wire in wire.proxy = nil },
    ]

    @Test(arguments: bound)
    func `each recorded value holds the grant back when it changes, and lets it go when it is back`(edit: Edit) throws {
        let destination = try Self.destination()
        var (account, wire) = (try Self.account(), Self.wire())
        #expect(destination.allows(account, wire: wire))
        try edit.change(&account, &wire)
        #expect(!destination.allows(account, wire: wire))
        #expect(destination.allows(try Self.account(), wire: Self.wire()))
    }

    static let free = [
        Edit("scopes") { account, _ in account.scopes = ["other"] },
        Edit("authorization endpoint") { account, _ in
            account.endpoints.authorization = try WebURL("https://other.example/a")
        },
        Edit("keys") { account, _ in account.endpoints.jwks = try WebURL("https://other.example/k") },
        Edit("parameters") { account, _ in account.authorizationParameters = ["a": "b"] },
        Edit("the CA's path") { account, _ in account.caFile = "/other.pem" },
        Edit("refresh") { account, _ in account.refresh.margin = 1 },
        Edit("timeout") { _, wire in wire.timeout = 1 },
        Edit("redirect") { account, _ in account.redirects = [try RedirectURI("http://127.0.0.1/x")] },
        Edit("the discovered revocation, now by name") { account, _ in
            account.endpoints.revocation = try WebURL("https://d.example/revoke")
        },
    ]

    @Test(arguments: free)
    func `any other edit keeps it`(edit: Edit) throws {
        var (account, wire) = (try Self.account(), Self.wire())
        try edit.change(&account, &wire)
        #expect(try Self.destination().allows(account, wire: wire))
    }

    @Test func `discovery may move endpoints under the same issuer`() throws {
        var account = try Self.account()
        account.endpoints = .init()
        let destination = GrantDestination(account: account, wire: Self.wire(), metadata: try Self.metadata())
        // The next discovery names others: what is compared is what the files say.
        #expect(destination.allows(account, wire: Self.wire()))
        #expect(destination.endpoints[.token] == "https://d.example/token" && destination.configured.isEmpty)
        account.endpoints.token = try WebURL("https://evil.example/token")
        #expect(!destination.allows(account, wire: Self.wire()))
    }

    @Test func `it comes back from the store as it went in`() throws {
        let destination = try Self.destination()
        #expect(GrantDestination(stored: destination.declaredMembers) == destination)
    }
}
