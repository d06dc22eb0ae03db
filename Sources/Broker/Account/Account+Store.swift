// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Account {
    // MARK: Reading

    /// Reads the account's item, once at a time.
    func beginLoad() {
        perform(grant.beginLoad())
    }

    /// The first read of all items begins, which brings this account's.
    func awaitFirstRead() {
        _ = grant.beginLoad()
    }

    func load() {
        grant.begin().start { [self] in
            await stored()
        } then: { [self] result in
            switch result {
            case .success(let record):
                perform(grant.loaded(record))
            case .failure(let error):
                ports.log.record(.storeFault(account: name, error))
                perform(grant.loadFailed(error))
            }
        }
    }

    private func stored() async -> Result<GrantRecord?, StoreError> {
        do throws(StoreError) {
            if ports.state.notes.removals.contains(name) {
                // A login that is storing its grant also settles the removal.
                guard !signIns.isStoring else { return .success(nil) }
                try await ports.store.finishRemoval(account: name)
                ports.state.change { $0.removals.remove(name) }
                return .success(nil)
            }
            guard let item = try await ports.store.item(account: name) else { return .success(nil) }
            return .success(try GrantRecord.read(item, at: ports.clock.now))
        } catch {
            if error.code == .unreadable {
                ports.log.record(.storeFault(account: name, error))
                return .success(nil)
            }
            return .failure(error)
        }
    }

    /// The first read of all items brought this account's, or none.
    func firstRead(_ item: StoredItem?) {
        guard grant.isLoading else { return }
        if ports.state.notes.removals.contains(name) { return perform(grant.loaded(nil)) }
        do throws(StoreError) {
            let record = try item.map { item throws(StoreError) in try GrantRecord.read(item, at: ports.clock.now) }
            perform(grant.loaded(record))
        } catch {
            ports.log.record(.storeFault(account: name, error))
            perform(error.code == .unreadable ? grant.loaded(nil) : grant.loadFailed(error))
        }
    }

    func firstReadFailed(_ error: StoreError) {
        guard grant.isLoading else { return }
        perform(grant.loadFailed(error))
    }

    // MARK: Writing

    /// Writes a record that the store refused before.
    func write(_ record: GrantRecord) {
        let work = grant.begin()
        Task.onLoop { [self] in
            _ = await work.withItem {
                await work.change {
                    await context.write(record)
                } then: { result in
                    let actions = grant.written(result)
                    if actions.contains(.resumeWaiters(renewed: true)) {
                        ports.log.record(.tokenRefreshed(account: name, expiresAt: record.token?.expiresAt))
                    }
                    perform(actions)
                }
            }
        }
    }

    /// Writes what the last write did not: the held token, or a grant that the store had refused.
    ///
    /// - Returns: why the store has not taken it.
    func keepToken() async -> StoreError? {
        guard let record = grant.unstoredRecord, case .failure(let error) = await context.write(record) else {
            return nil
        }
        ports.log.record(.storeFault(account: name, error))
        return error
    }

    /// Records that the provider refuses the grant; if that fails, the next daemon finds out by itself. If the store
    /// has another refresh token than the refused one, it takes over that one.
    func note(_ record: GrantRecord) {
        changeItem { [self] stored, work async throws(StoreError) in
            guard stored.refreshToken == record.refreshToken else { return finished(.replaced(stored), for: nil) }
            _ = try await work.change { () async throws(StoreError) in try await context.write(record).get() }
        }
    }

    /// Removes what is left of a grant that ended long ago; where that fails, the next start does it.
    func clear() {
        changeItem { [self] stored, work async throws(StoreError) in
            guard stored.ended != nil, !stored.renewable else { return }
            _ = try await work.change { () async throws(StoreError) in try await ports.store.remove(account: name) }
        }
    }

    /// Starts a task that changes the item as its only writer, if there is one and the work is current by then; a fault is
    /// logged.
    private func changeItem(
        _ body: @escaping @LoopActor (GrantRecord, GrantWork) async throws(StoreError) -> Void
    ) {
        let work = grant.begin()
        Task.onLoop { [self] in
            await work.withItem {
                do throws(StoreError) {
                    guard let item = try await ports.store.item(account: name) else { return }
                    let stored = try GrantRecord.read(item, at: ports.clock.now)
                    if work.isCurrent { try await body(stored, work) }
                } catch {
                    ports.log.record(.storeFault(account: name, error))
                }
            }
        }
    }
}
