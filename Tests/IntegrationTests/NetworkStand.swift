// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import FoundationEssentials
import Glibc
import StrictJSON
import TestSupport
import Testing

/// A `Stand` whose daemon and provider are on two machines, as far as the kernel's networks go, with TLS, names and a
/// cable between them. Nothing of it touches another network.
struct NetworkStand {
    let stand: Stand
    let cable: NetworkCable
    let names: NameServer
    private let folder: String
    private let authority: TestAuthority

    /// Seconds that a request may take.
    static let timeout = 3
    private static let files = "/tmp/tokend-net.XXXXXX"

    /// Sets one up with these accounts, signed in at a provider that rotates with a minute of grace, and `other`, which is
    /// not, and runs `body`.
    ///
    /// - Parameters:
    ///   - lifetime: seconds that an access token lives.
    ///   - nameServers: whom the daemon's machine asks for names, in this order.
    static func with(
        _ accounts: [String] = ["work"],
        lifetime: Int = 3600,
        nameServers: [String] = [NetworkCable.providerAddress],
        _ body: (NetworkStand) async throws -> Void
    ) async throws {
        var template = Array(files.utf8CString)
        try #require(mkdtemp(&template) != nil)
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (cable, authority) = try await (NetworkCable(), TestAuthority())
        var settings = ProviderSettings.rotating(grace: 60)
        settings.accessTokenLifetime = lifetime
        let (provider, names) = try await cable.world.inside { [settings] in
            let here = NetworkCable.providerAddress
            return (try FakeProvider(settings), try NameServer(at: here, answering: [here]))
        }
        let place = TLSFront.Place(in: cable.world, at: NetworkCable.providerAddress)
        let front = try await TLSFront.start(before: provider, authority, in: folder, at: place)
        try await Stand.with(
            at: provider,
            by: cable.program(nameServers: nameServers, in: folder),
            prepare: { world, _ in
                try world.writeConfiguration("{ http: { timeout: \(timeout) }, log_level: \"debug\" }")
                let more = "tls: { ca_file: \"\(authority.certificate)\" }, refresh: { forced_gap: 0 }"
                for name in accounts + ["other"] {
                    try world.writeAccount(name, issuer: front.origin, more: more)
                }
            },
            { stand in
                let network = NetworkStand(
                    stand: stand,
                    cable: cable,
                    names: names,
                    folder: folder,
                    authority: authority
                )
                for name in accounts { try await network.signIn(name) }
                try await body(network)
            }
        )
        withExtendedLifetime(front) {}
    }

    /// Signs in; the user's browser is in the provider's network, and the answer is pasted.
    func signIn(_ account: String) async throws {
        let url = try await stand.startLogin(account).url
        let page = stand.provider.ownOrigin + url.dropFirst("https://\(TestAuthority.host)".count)
        let location = try await cable.world.inside {
            guard let address = HTTPAddress(page) else { throw TimedOut("a page at \(page)") }
            let exchange = try RawConnection(address)
            let head = ["GET \(address.target) HTTP/1.1", "Host: \(address.authority)", "Connection: close"]
            try exchange.send(head.joined(separator: "\r\n") + "\r\n\r\n")
            return try exchange.readAnswer().headers.first { $0.name.lowercased() == "location" }?.value
        }
        _ = try await stand.client.result("login.complete", ["url": .string(try #require(location))])
    }

    /// Who answers in the provider's place, until the result is given to `leave`: a front with the good certificate of an
    /// authority (the provider's own, or one that nobody knows), and a server behind it that says this to all.
    func portal(_ answer: WireResponse, trusted: Bool) async throws -> Portal {
        let provider = try await cable.world.inside { try FakeProvider() }
        for endpoint in ProviderEndpoint.allCases { provider.scriptAlways(endpoint, .answer(answer)) }
        let authority = trusted ? authority : try await TestAuthority()
        let folder = "\(folder)/portal-\(provider.port)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let place = TLSFront.Place(in: cable.world, at: NetworkCable.portalAddress)
        let front = try await TLSFront.start(before: provider, authority, in: folder, at: place)
        try await cable.divert(to: NetworkCable.portalAddress)
        return Portal(provider: provider, front: front)
    }

    /// The portal lets everything through.
    func leave(_ portal: Portal) async throws {
        try await cable.divert(to: nil)
        portal.provider.stop()
        await portal.front.stop()
    }

    struct Portal {
        let provider: FakeProvider
        let front: TLSFront
    }

    /// That a renewal fails for a passing reason, for every client: the held token and the grant stay, and `status` says so.
    ///
    /// - Returns: the sentence that clients get.
    @discardableResult
    func expectPassingFailure(_ account: String = "work") async throws -> String {
        let held = try await token(account)
        // Twenty at once are one attempt.
        let fresh: JSONObject = ["account": .string(account), "fresh": true]
        let asked = (0..<20).map { _ in stand.client.ask("token.get", fresh) }
        var messages: Set<String> = []
        for id in asked {
            let refusal = DaemonRefusal(try await stand.client.reply(to: id))
            #expect(refusal.kind == "provider_unreachable" || refusal.kind == "provider_error", "\(refusal)")
            messages.insert(refusal.message)
        }
        let message = messages.sorted().first ?? ""
        #expect(message.contains(TestAuthority.host), "\(messages)")
        let status = try await stand.status(account)
        #expect(status["state"] == "retrying", "\(status)")
        #expect(status["fault"]?.object?["message"]?.string?.contains(TestAuthority.host) == true, "\(status)")
        let start = ContinuousClock.now
        #expect(try await token(account) == held)
        #expect(start.duration(to: .now) < .seconds(1), "what is held is served at once")
        return message
    }

    /// That a renewal succeeds as soon as a client may cause one, and that what came is what the keyring holds.
    func expectRecovery(_ account: String = "work") async throws {
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        while true {
            let reply = try await stand.client.call("token.get", ["account": .string(account), "fresh": true])
            if reply["result"]?.object?["refreshed"] == true { break }
            guard ContinuousClock.now < limit else { throw TimedOut("a renewal: \(reply)") }
            try await Task.sleep(for: .milliseconds(100))
        }
        let status = try await stand.status(account)
        #expect(status["state"] == "ready" && status["fault"] == nil, "\(status)")
        let item = try await stand.keyringItem(account)
        #expect(stand.provider.liveRefreshTokens.contains { item.contains($0) })
    }

    private func token(_ account: String) async throws -> JSONValue? {
        try await stand.client.result("token.get", ["account": .string(account)])["access_token"]
    }
}
