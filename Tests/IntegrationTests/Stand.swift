// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import StrictJSON
import TestSupport
import Testing

/// A daemon with all that it needs: a keyring, folders, and the project's own provider with the account `work`.
struct Stand {
    let session: KeyringSession
    let world: DaemonWorld
    let provider: FakeProvider
    let daemon: DaemonProcess
    let client: SocketClient

    /// Sets one up, runs `body` with it, and takes everything down whatever happens. At the end the client must have
    /// kept all of the provider's rules, but for those that the test excuses.
    ///
    /// - Parameters:
    ///   - made: the provider, where it stands somewhere of its own; it has settings then.
    ///   - variables: added to the daemon's environment.
    ///   - wrapper: a command that becomes the daemon.
    static func with(
        _ settings: ProviderSettings = .approving,
        at made: FakeProvider? = nil,
        keyring: KeyringSession.Provider = .unlocked,
        arguments: [String] = [],
        adding variables: [String: String] = [:],
        by wrapper: [String] = [],
        excusing excused: Set<Breach.Rule> = [],
        prepare: (DaemonWorld, FakeProvider) throws -> Void = { try $0.writeAccount("work", issuer: $1.issuer) },
        _ body: (Stand) async throws -> Void
    ) async throws {
        let provider = try made ?? FakeProvider(settings)
        defer { provider.stop() }
        try await KeyringSession.with(keyring) { session in
            let world = try DaemonWorld(session)
            try prepare(world, provider)
            try await run(in: world, provider, arguments: arguments, adding: variables, by: wrapper, body)
            let breaches = provider.breaches.filter { !excused.contains($0.rule) }
            #expect(breaches.isEmpty, "\(breaches)")
        }
    }

    /// Starts a daemon in that world, runs `body` with it and stops it; what `body` throws is recorded with the daemon's log.
    static func run(
        in world: DaemonWorld,
        _ provider: FakeProvider,
        arguments: [String] = [],
        adding variables: [String: String] = [:],
        by wrapper: [String] = [],
        _ body: (Stand) async throws -> Void
    ) async throws {
        let daemon = try await DaemonProcess.start(world, arguments: arguments, adding: variables, by: wrapper)
        let stand = Stand(
            session: world.session,
            world: world,
            provider: provider,
            daemon: daemon,
            client: try daemon.connect()
        )
        do {
            try await body(stand)
        } catch {
            Issue.record("\(error)\n--- the daemon's log\n\(daemon.log)")
        }
        try await daemon.stop()
    }

    /// Signs the account in at the provider with a stand-in for the browser, and returns the browser's last page.
    @discardableResult
    func signIn(_ account: String = "work") async throws -> BrowserStandIn.Page {
        let login = try await startLogin(account)
        let page = try await BrowserStandIn().signIn(login.url)
        _ = try await client.result("login.wait", ["login_id": .string(login.id)])
        return page
    }

    /// A login that waits for the user.
    struct Login {
        let id: String
        let url: String
        /// The redirect with its port, and the state that belongs to it.
        let redirectURI: String
        let state: String
    }

    /// Starts a login whose browser is the test's own affair.
    func startLogin(_ account: String = "work") async throws -> Login {
        let started = try await client.result("login.start", ["account": .string(account)])
        let url = try #require(started["authorization_url"]?.string)
        let query = WireParameters(String(url.split(separator: "?").last ?? ""))
        return Login(
            id: try #require(started["login_id"]?.string),
            url: url,
            redirectURI: try #require(query["redirect_uri"]),
            state: try #require(query["state"])
        )
    }

    /// The access token that a client gets for the account.
    func token(_ params: JSONObject = [:]) async throws -> JSONObject {
        var params = params
        params["account"] = "work"
        return try await client.result("token.get", params)
    }

    /// The kind of the error that a call ends in.
    func refusal(_ method: String, _ params: JSONObject = [:]) async throws -> DaemonRefusal {
        do {
            let result = try await client.result(method, params)
            throw ChildProcessError("\(method) succeeded: \(result)")
        } catch let refusal as DaemonRefusal {
            return refusal
        }
    }

    /// What `status` says of the account.
    func status(_ account: String = "work") async throws -> JSONObject {
        let status = try await client.result("status", ["account": .string(account)])
        return try #require(status["accounts"]?.array?.first?.object)
    }

    /// What the keyring holds for the account, as `secret-tool` prints it; empty where it holds nothing.
    func keyringItem(_ account: String = "work") async throws -> String {
        let found = try await session.run(
            "secret-tool",
            ["search", "--all", "application", "tokend", "account", account, "kind", "grant"]
        )
        return found.output + found.errors
    }
}
