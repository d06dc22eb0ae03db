// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Items in a form that only a newer tokend knows, as they lie there after a downgrade.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct NewerItemTests {
    private static func item(_ kind: StoredItem.Kind = .grant) -> StoredItem {
        StoredItem(
            kind: kind,
            account: "work",
            issuer: "i",
            clientID: "c",
            label: "l",
            secret: Secret(#"{"version":99,"kept":"as it is"}"#)
        )
    }

    @LoopActor
    @Test(arguments: [Method.loginStart, .logout, .accountRemove, .accountImport])
    func `no method replaces or ends a grant that a newer tokend wrote`(method: Method) async throws {
        var params: JSONObject = ["account": "work"]
        if method == .accountImport { params["refresh_token"] = "R1" }
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.put(Self.item())
        let error = await stand.client.call(method, params).error
        #expect(error?.kind == .storeUnavailable && error?.message.contains("newer tokend") == true)
        stand.world.broker.storeOpened()
        await settle()
        #expect(stand.store.kept["work"] == Self.item() && stand.world.state.kept.removals.isEmpty)
    }

    @LoopActor @Test func `a sign-out from a locked store waits for a tokend that knows the grant`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.put(Self.item())
        stand.store.fault = MemoryCredentialStore.locked
        let reply = await stand.client.call(.logout, ["account": "work"])
        #expect(reply.value?["removal_pending"] == true)
        stand.store.fault = nil
        stand.world.broker.storeOpened()
        await settle()
        let error = await stand.client.call(.loginStart, ["account": "work"]).error
        #expect(error?.message.contains("newer tokend") == true)
        #expect(stand.store.kept["work"] == Self.item() && stand.world.state.kept.removals == ["work"])
    }

    @LoopActor @Test func `a client's item that a newer tokend wrote outlives the account's removal`() async throws {
        let stand = try await LoginStand()
        defer { stand.end() }
        stand.store.put(Self.item(.client))
        let reply = await stand.client.call(.accountRemove, ["account": "work"])
        #expect(reply.value?["removal_pending"] == true)
        stand.world.broker.storeOpened()
        await settle()
        #expect(stand.store.clients["work"] == Self.item(.client))
    }
}
