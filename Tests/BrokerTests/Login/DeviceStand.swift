// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

@testable import Broker

/// A `LoginStand` whose provider has a device authorization endpoint, and a user somewhere else.
@LoopActor final class DeviceStand {
    static let endpoint = "https://idp.example/device"
    static let deviceCode = "SECRET-DEVICE-CODE"
    static let codes: JSONObject = [
        "device_code": .string(deviceCode), "user_code": "WDJB-MJHT", "verification_uri": "https://idp.example/enter",
        "verification_uri_complete": "https://idp.example/enter?user_code=WDJB-MJHT", "expires_in": 900,
        "interval": 5,
    ]

    let stand: LoginStand
    var clock: HandClock { stand.clock }
    var transport: ScriptedTransport { stand.transport }

    init(_ accounts: [AccountConfiguration]? = nil) async throws {
        stand = try await LoginStand(accounts)
        stand.provider.publish(["device_authorization_endpoint": .string(Self.endpoint)])
    }

    func end() {
        stand.end()
    }

    /// `login.start` by the device flow, with the endpoint's answer, which may come after some seconds.
    func start(
        _ params: JSONObject = [:],
        answer: HTTPResponse = .json(codes),
        after seconds: Int64 = 0
    ) async -> MethodClient.Reply {
        var all: JSONObject = ["account": "work", "flow": "device"]
        for member in params { all[member.name] = member.value }
        let reply = stand.client.send(.loginStart, all)
        let exchange = await transport.next()
        await clock.advance(by: .seconds(seconds))
        exchange.answer(answer)
        return await stand.client.reply(to: reply)
    }

    /// A login whose codes are shown: its id.
    func started(_ params: JSONObject = [:], _ changes: JSONObject = [:]) async throws -> String {
        var codes = Self.codes
        for member in changes { codes[member.name] = member.value.isNull ? Optional.none : member.value }
        return try await start(params, answer: .json(codes)).get()["login_id"]?.string ?? ""
    }

    /// Lets so many seconds pass after which exactly one poll is to be under way.
    func poll(after seconds: Int64) async -> ScriptedTransport.Exchange? {
        await clock.advance(by: .milliseconds(seconds * 1000 - 1))
        guard transport.waitingCount == 0 else { return nil }
        await clock.advance(by: .milliseconds(1))
        return transport.waitingCount == 1 ? await transport.next() : nil
    }

    /// The token endpoint's good answer.
    func tokens(refresh: String? = "R1", claims: JSONObject = [:]) throws -> HTTPResponse {
        .token("A1", refresh: refresh, ["id_token": .string(try stand.provider.idToken(nonce: nil, claims))])
    }

    /// What `login.wait` says.
    func wait(_ id: String) async -> MethodClient.Reply {
        await stand.client.call(.loginWait, ["login_id": .string(id)])
    }

    /// How many polls were sent.
    var polls: Int {
        transport.posts.count { $0.form["grant_type"] == TokenRequest.deviceGrantType }
    }
}
