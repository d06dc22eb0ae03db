// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

extension Account {
    /// The result of a revocation request.
    enum Told {
        case done
        /// A sentence; a second try would fail the same way.
        case refused(String)
        /// A sentence; a later try may succeed.
        case unreached(String)
    }

    /// Saves a copy of the grant for its revocation before the item is deleted, so that the next daemon can resume it
    /// after a crash. There is no copy if the store refuses it, or while another write of the item is under way: a logout
    /// does not wait for that, and that write revokes its own result.
    func owe(_ record: GrantRecord) async {
        guard !itemMutex.isLocked, !revocable(record).isEmpty, let item = revocation(of: record) else { return }
        do {
            try await ports.store.write(item)
        } catch {
            ports.log.record(.storeFault(account: name, error))
        }
    }

    /// Tells the provider of a logout, and forgets what was put by for that, unless the provider could not be reached:
    /// then the next network or the next start tells it.
    func payRevocation(of record: GrantRecord, _ result: inout LogoutResult) async {
        guard !revocable(record).isEmpty else { return }
        switch await revoke(record) {
        case .done:
            result.revoked = true
            await settleRevocation(record)
        case .refused(let sentence):
            result.revocationFault = sentence
            await settleRevocation(record)
        case .unreached(let sentence):
            result.revocationFault = sentence
            revocationTriedAt = ports.clock.now.boot
        }
    }

    /// Sends the pending revocation of this daemon, or of one before it.
    func payRevocation(_ item: StoredItem) async {
        guard let record = try? GrantRecord.read(item, at: ports.clock.now) else { return }
        revocationTriedAt = ports.clock.now.boot
        switch await revoke(record) {
        case .done, .refused: await settleRevocation(record)
        case .unreached: if record.isDebtOver(at: ports.clock.now.wall) { await settleRevocation(record) }
        }
    }

    /// A network has come: a provider that could not be told before is told now, ten seconds after the last try at the
    /// soonest.
    func payOwedRevocation() {
        guard let revocationTriedAt, revocationTriedAt.duration(to: ports.clock.now.boot) >= .seconds(10) else {
            return
        }
        self.revocationTriedAt = ports.clock.now.boot
        Task.onLoop { [self] in
            do throws(StoreError) {
                guard let item = try await ports.store.item(.revocation, account: name) else {
                    self.revocationTriedAt = nil
                    return
                }
                // The user may have signed in meanwhile.
                if self.revocationTriedAt != nil { await payRevocation(item) }
            } catch {
                ports.log.record(.storeFault(account: name, error))
            }
        }
    }

    /// Somebody has signed in again: to revoke the grant before could end the new one, too.
    func forgetRevocation() {
        revocationTriedAt = nil
        Task.onLoop { [self] in
            do throws(StoreError) {
                try await ports.store.remove(.revocation, account: name)
            } catch {
                ports.log.record(.storeFault(account: name, error))
            }
        }
    }

    private func revocation(of record: GrantRecord) -> StoredItem? {
        guard let configuration = configuration ?? context.lastConfiguration else { return nil }
        var record = record
        record.ended = .init(reason: .signedOut, at: ports.clock.now.wall)
        var item = record.item(for: configuration)
        item.kind = .revocation
        item.label = "tokend: to be revoked, \(name) at \(configuration.issuerHost)"
        return item
    }

    /// Forgets what was put by for this grant; what a later logout has put by stays.
    private func settleRevocation(_ record: GrantRecord) async {
        do throws(StoreError) {
            guard let item = try await ports.store.item(.revocation, account: name),
                let kept = try? GrantRecord.read(item, at: ports.clock.now),
                kept.refreshToken == record.refreshToken
            else { return }
            try await ports.store.remove(.revocation, account: name)
            revocationTriedAt = nil
        } catch {
            ports.log.record(.storeFault(account: name, error))
        }
    }

    /// The tokens whose end the provider is told of, refresh token first.
    private func revocable(_ record: GrantRecord) -> [(token: Secret, hint: RevocationRequest.Hint)] {
        [
            record.refreshToken.map { ($0, .refreshToken) },
            record.providerToken.map { ($0.accessToken, .accessToken) },
        ]
        .compactMap(\.self)
    }

    /// Tells the provider (RFC 7009); never anywhere but where the grant was made for.
    func revoke(_ record: GrantRecord) async -> Told {
        guard let configuration else { return .unreached("the settings of “\(name)” have a fault") }
        guard record.destination.allows(configuration, wire: context.daemon.wire) else {
            return .refused("the settings of “\(name)” changed since the sign-in, so its tokens were sent nowhere")
        }
        let access = client.access(configuration, for: record.destination)
        do {
            let metadata = try await context.directory.metadata(for: configuration, wire: wire)
            for (token, hint) in revocable(record) {
                switch await access.revoke(token, hint: hint, metadata: metadata) {
                case nil: continue
                case .some(let fault): return fault.isPassing ? .unreached(fault.message) : .refused(fault.message)
                }
            }
            return .done
        } catch {
            return error.kind == .providerUnreachable ? .unreached(error.message) : .refused(error.message)
        }
    }
}

extension GrantRecord {
    /// Seconds after which a pending revocation is given up.
    private static let longestDebt: Int64 = 604_800

    /// Whether the provider need not be told any more that this grant ended here.
    func isDebtOver(at now: Int64) -> Bool {
        guard let since = ended?.at else { return false }
        return now.subtractingSaturated(since) > Self.longestDebt
    }
}
