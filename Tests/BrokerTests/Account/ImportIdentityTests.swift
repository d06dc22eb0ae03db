// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import StrictJSON
import Systemd
import Testing
import TokendProtocol

@testable import Broker

/// Whom an imported grant is for: the ID token of its first refresh says so.
@Suite(.onLoop, .timeLimit(.minutes(1))) struct ImportIdentityTests {
    /// What comes of importing a token whose first refresh brings that ID token.
    @LoopActor private func imported(
        _ changes: JSONObject,
        by signer: TestIssuer? = nil
    ) async throws -> (world: World, result: Result<LoginResult, ProtocolError>) {
        let world = World([try .openID()])
        let issuer = try TestIssuer()
        world.transport.documents = issuer.documents
        await world.start()
        let account = try world.account()
        let task = Task { @LoopActor () -> Result<LoginResult, ProtocolError> in
            do throws(ProtocolError) {
                return .success(try await account.importGrant(Secret("I1"), scope: nil))
            } catch {
                return .failure(error)
            }
        }
        let idToken = try (signer ?? issuer).idToken(changes, at: world.clock.now)
        await world.transport.next().answer(.token("A1", refresh: "I2", ["id_token": .string(idToken)]))
        return (world, await task.value)
    }

    private func check(_ result: Result<LoginResult, ProtocolError>) -> String? {
        guard case .failure(let error) = result, error.kind == .loginFailed else { return nil }
        return error.data["check"]?.string
    }

    @LoopActor @Test(arguments: [["exp": 1000], ["iat": nil], ["at_hash": "AAAA"]] as [JSONObject])
    func `an ID token that is over still names whom the grant is for`(changes: JSONObject) async throws {
        let (world, result) = try await imported(changes)
        #expect(try result.get().subject == "alice")
        #expect(world.store.member("refresh_token") == "I2")
        #expect(try world.get().answer?.get().token.idToken == nil)
    }

    @LoopActor
    @Test(
        arguments: [
            (["aud": "other"], "audience"), (["azp": "other"], "azp"), (["iss": "https://evil.example"], "issuer"),
            (["aud": "other", "iat": nil], "audience"),
        ] as [(JSONObject, String)]
    )
    func `a bad ID token refuses the import, naming the check`(changes: JSONObject, word: String) async throws {
        let (world, result) = try await imported(changes)
        #expect(check(result) == word && world.store.kept.isEmpty)
    }

    @LoopActor @Test func `a stranger's ID token refuses the import`() async throws {
        let (world, result) = try await imported([:], by: try TestIssuer())
        #expect(check(result) == "signature" && world.store.kept.isEmpty)
    }
}
