// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Systemd

extension Account {
    // MARK: Reading

    /// Reads the account's item, once at a time.
    func beginLoad() {
        perform(machine.beginLoad())
    }

    func load() {
        let generation = generation
        Task.onLoop { [self] in
            let result = await stored()
            guard generation == self.generation else { return }
            switch result {
            case .success(let record):
                loaded(record)
            case .failure(let error):
                ports.log.record(.storeFault(account: name, error))
                perform(machine.loadFailed(error))
            }
        }
    }

    private func stored() async -> Result<GrantRecord?, StoreError> {
        do throws(StoreError) {
            if ports.state.notes.removals.contains(name) {
                // A login that is storing its grant settles it by itself.
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

    /// The store's word on this account.
    func loaded(_ stored: GrantRecord?) {
        let record = context.inForce(stored)
        perform(
            machine.loaded(
                record,
                isHeldBack: !context.isAllowed(record),
                at: ports.clock.now,
                roll: ports.entropy.roll()
            )
        )
    }

    /// The first read of all items brought this account's, or none.
    func firstRead(_ item: StoredItem?) {
        guard machine.isLoading else { return }
        if ports.state.notes.removals.contains(name) { return loaded(nil) }
        do throws(StoreError) {
            loaded(try item.map { item throws(StoreError) in try GrantRecord.read(item, at: ports.clock.now) })
        } catch {
            ports.log.record(.storeFault(account: name, error))
            if error.code == .unreadable { loaded(nil) } else { perform(machine.loadFailed(error)) }
        }
    }

    func firstReadFailed(_ error: StoreError) {
        guard machine.isLoading else { return }
        perform(machine.loadFailed(error))
    }

    // MARK: Writing

    /// Writes a record that the store has refused before.
    func write(_ record: GrantRecord) {
        let generation = generation
        Task.onLoop { [self] in
            await itemMutex.withLock {
                guard generation == self.generation else { return }
                let result = await keep(record)
                guard generation == self.generation else { return await mend() }
                let actions = machine.written(result, at: ports.clock.now)
                if actions.contains(.settle(renewed: true)) {
                    ports.log.record(.tokenRefreshed(account: name, expiresAt: record.token?.expiresAt))
                }
                perform(actions)
            }
        }
    }

    func keep(_ record: GrantRecord) async -> Result<Void, StoreError> {
        guard let configuration = configuration ?? context.lastConfiguration else {
            // Without a configuration there was no grant that could need storing.
            return .failure(StoreError(code: .unavailable, message: "the file of “\(name)” was never in order"))
        }
        do {
            try await ports.store.write(record.item(for: configuration))
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Writes what the last write did not: the held token, or a grant that the store had refused.
    ///
    /// - Returns: why the store has not taken it.
    func keepToken() async -> StoreError? {
        guard let record = machine.unstoredRecord, case .failure(let error) = await keep(record) else { return nil }
        ports.log.record(.storeFault(account: name, error))
        return error
    }

    /// Corrects the store after a write that ended after a logout: it gets what is in force now.
    func mend() async {
        if let record = machine.newestRecord {
            if case .failure(let error) = await keep(record) {
                ports.log.record(.storeFault(account: name, error))
            }
        } else if case .signedOut = machine.snapshot.phase {
            do {
                try await ports.store.remove(account: name)
            } catch {
                ports.state.change { $0.removals.insert(name) }
            }
        }
    }

    /// Writes down that the provider refuses the grant; where that fails, the next daemon finds out by itself. Another
    /// refresh token in the store than the one that was refused takes its place.
    func note(_ record: GrantRecord) {
        let generation = generation
        Task.onLoop { [self] in
            await itemMutex.withLock {
                do throws(StoreError) {
                    guard let item = try await ports.store.item(account: name) else { return }
                    let stored = try GrantRecord.read(item, at: ports.clock.now)
                    guard generation == self.generation else { return }
                    guard stored.refreshToken == record.refreshToken else {
                        return finished(.replaced(stored), for: nil)
                    }
                    guard let configuration = configuration ?? context.lastConfiguration else { return }
                    try await ports.store.write(record.item(for: configuration))
                    if generation != self.generation { await mend() }
                } catch {
                    ports.log.record(.storeFault(account: name, error))
                }
            }
        }
    }

    /// Removes what is left of a grant that ended long ago; where that fails, the next start does it.
    func clear() {
        let generation = generation
        Task.onLoop { [self] in
            await itemMutex.withLock {
                do throws(StoreError) {
                    guard let item = try await ports.store.item(account: name) else { return }
                    let record = try GrantRecord.read(item, at: ports.clock.now)
                    guard generation == self.generation, record.ended != nil, !record.renewable else { return }
                    try await ports.store.remove(account: name)
                    if generation != self.generation { await mend() }
                } catch {
                    ports.log.record(.storeFault(account: name, error))
                }
            }
        }
    }
}
