// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import HTTPTypes
import OAuth
import Secrets
import Systemd
import TokendProtocol

/// The result of a revocation request.
enum RevocationOutcome {
    case done
    /// The reason, as a sentence; a second try would fail the same way.
    case refused(String)
    /// The reason, as a sentence; a later try may succeed.
    case unreached(String)
}

/// Revokes an account's ended grants at the provider (RFC 7009), and keeps those that could not be revoked yet in the
/// store, as an item of kind `revocation`, until the provider is reached or a week has passed.
@LoopActor final class PendingRevocation {
    private let context: AccountContext
    private let client: ClientItem
    /// When it was last tried; nil if none is pending.
    private var triedAt: BootInstant?

    init(_ context: AccountContext, client: ClientItem) {
        self.context = context
        self.client = client
    }

    private var name: String { context.name }
    private var ports: BrokerPorts { context.ports }

    /// Whether the last logout could not be reported to the provider yet.
    var isPending: Bool { triedAt != nil }

    /// Saves a copy of the grant before its item is deleted, so that the next daemon can resume the revocation after a
    /// crash. There is no copy if the store refuses it.
    func add(_ record: GrantRecord) async {
        guard !revocable(record).isEmpty, let item = item(of: record) else { return }
        do {
            try await ports.store.write(item)
        } catch {
            ports.log.record(.storeFault(account: name, error))
        }
    }

    /// Revokes a grant after a logout, and removes the copy, unless the provider could not be reached: then the next
    /// network or the next start tries again.
    func send(_ record: GrantRecord, _ result: inout LogoutResult) async {
        guard !revocable(record).isEmpty else { return }
        switch await revoke(record) {
        case .done:
            result.revoked = true
            await remove(record)
        case .refused(let sentence):
            result.revocationFault = sentence
            await remove(record)
        case .unreached(let sentence):
            result.revocationFault = sentence
            triedAt = ports.clock.now.boot
        }
    }

    /// Sends the pending revocation of this daemon, or of one before it.
    func send(_ item: StoredItem) async {
        guard let record = try? GrantRecord.read(item, at: ports.clock.now) else { return }
        triedAt = ports.clock.now.boot
        switch await revoke(record) {
        case .done, .refused: await remove(record)
        case .unreached: if record.isRevocationExpired(at: ports.clock.now.wall) { await remove(record) }
        }
    }

    /// A network has come: tries again, at most once in ten seconds.
    func networkAppeared() {
        guard let triedAt, triedAt.duration(to: ports.clock.now.boot) >= .seconds(10) else { return }
        self.triedAt = ports.clock.now.boot
        Task.onLoop { [self] in
            do throws(StoreError) {
                guard let item = try await ports.store.item(.revocation, account: name) else {
                    self.triedAt = nil
                    return
                }
                // The user may have signed in meanwhile.
                if isPending { await send(item) }
            } catch {
                ports.log.record(.storeFault(account: name, error))
            }
        }
    }

    /// Gives up the revocation because the user has signed in again: it could end the new grant, too.
    func clear() {
        triedAt = nil
        Task.onLoop { [self] in
            do throws(StoreError) {
                try await ports.store.remove(.revocation, account: name)
            } catch {
                ports.log.record(.storeFault(account: name, error))
            }
        }
    }

    /// Revokes the grant at the provider; sends nothing except where the grant was made for.
    func revoke(_ record: GrantRecord) async -> RevocationOutcome {
        guard let configuration = context.configuration else {
            return .unreached("the settings of “\(name)” have a fault")
        }
        guard record.destination.allows(configuration, wire: context.daemon.wire) else {
            return .refused("the settings of “\(name)” changed since the sign-in, so its tokens were sent nowhere")
        }
        let access = client.access(configuration, for: record.destination)
        do {
            let metadata = try await context.directory.metadata(for: configuration, wire: context.wire)
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

    private func item(of record: GrantRecord) -> StoredItem? {
        guard let configuration = context.configuration ?? context.lastConfiguration else { return nil }
        var record = record
        record.ended = .init(reason: .signedOut, at: ports.clock.now.wall)
        var item = record.item(for: configuration)
        item.kind = .revocation
        item.label = "tokend: to be revoked, \(name) at \(configuration.issuerHost)"
        return item
    }

    /// Removes the copy of this grant; that of a later logout stays.
    private func remove(_ record: GrantRecord) async {
        do throws(StoreError) {
            guard let item = try await ports.store.item(.revocation, account: name),
                let kept = try? GrantRecord.read(item, at: ports.clock.now),
                kept.refreshToken == record.refreshToken
            else { return }
            try await ports.store.remove(.revocation, account: name)
            triedAt = nil
        } catch {
            ports.log.record(.storeFault(account: name, error))
        }
    }

    /// The tokens to revoke, refresh token first.
    private func revocable(_ record: GrantRecord) -> [(token: Secret, hint: RevocationRequest.Hint)] {
        [
            record.refreshToken.map { ($0, .refreshToken) },
            record.providerToken.map { ($0.accessToken, .accessToken) },
        ]
        .compactMap(\.self)
    }
}

extension GrantRecord {
    /// Seconds after which a pending revocation is given up.
    private static let longestRevocation: Int64 = 604_800

    /// Whether it is too late to revoke the grant.
    func isRevocationExpired(at now: Int64) -> Bool {
        guard let since = ended?.at else { return false }
        return now.subtractingSaturated(since) > Self.longestRevocation
    }
}
