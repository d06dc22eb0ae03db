// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import OAuth
import Secrets
import StrictJSON
import Systemd
import TokendProtocol

extension Account {
    /// Takes over a refresh token: one refresh tells whether it is good and whom it is for, then it is stored.
    ///
    /// - Throws: what the provider or the store said; the account's grant is then as it was.
    func importGrant(_ refreshToken: Secret, scope: Scope?) async throws(ProtocolError) -> LoginResult {
        let configuration = try usable()
        if let login { throw loginUnderWay(login) }
        guard !configuration.registersClient else {
            throw ProtocolError(
                .configInvalid,
                "a refresh token is good for the client that it was issued to: put that one's client_id into "
                    + configuration.file,
                data: ["file": .string(configuration.file), "member": "client_id"]
            )
        }
        do throws(StoreError) {
            // Where the store would refuse the grant in the end, the token is not used up.
            _ = try await ports.store.item(account: name)
        } catch {
            if error.code != .unreadable { throw error.protocolError }
        }
        let generation = generation
        let metadata = try await directory.metadata(for: configuration, wire: wire, isFresh: true)
        var record = GrantRecord(
            scope: scope ?? configuration.scopes,
            destination: GrantDestination(account: configuration, wire: settings.wire, metadata: metadata),
            signedInAt: ports.clock.now.wall
        )
        record.refreshToken = refreshToken
        let flow = RefreshFlow(access: access(configuration), store: ports.store, turn: turn) {
            .wanted
        } mend: {
        }
        do throws(LoginFailure) {
            record = try await flow.tryOut(record, refreshToken)
            record = try await flow.tradeImported(record)
        } catch {
            throw error.protocolError(account: name)
        }
        await turn.take()
        defer { turn.give() }
        guard generation == self.generation else { throw overtaken }
        if case .failure(let error) = await keep(record) { throw error.protocolError }
        guard generation == self.generation else {
            await mend()
            throw overtaken
        }
        return install(record)
    }

    private var overtaken: ProtocolError {
        ProtocolError(.cancelled, "somebody signed in to “\(name)” or out of it meanwhile; the import was given up")
    }

    private func loginUnderWay(_ login: Login) -> ProtocolError {
        ProtocolError(
            .loginPending,
            "a sign-in to “\(name)” is under way; finish or cancel it first",
            data: ["account": .string(name), "login_id": .string(login.id)]
        )
    }
}
