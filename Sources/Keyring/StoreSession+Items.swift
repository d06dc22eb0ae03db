// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import CSecret
import Secrets

/// Work on items. Only `unlock` may prompt the user.
extension StoreSession {
    /// The provider, if its default collection exists and is unlocked.
    func check(_ cancellation: Cancellation) throws(KeyringError) -> KeyringProvider {
        let opened = try open(cancellation)
        _ = try unlockedCollection(opened, cancellation)
        return opened.provider
    }

    /// All items with these attributes, whatever their schema.
    func items(
        matching attributes: [String: String],
        _ cancellation: Cancellation
    ) throws(KeyringError) -> [KeyringItem] {
        try onceMoreWithoutSession { () throws(KeyringError) in
            try read(matching: attributes, try open(cancellation), cancellation)
        }
    }

    private func read(
        matching attributes: [String: String],
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> [KeyringItem] {
        let found = try find(attributes, opened, cancellation)
        guard !found.isEmpty else { return [] }
        try attempt("read the keyring's items") { () throws(GLibError) in
            try ObjectReference<SecretItem>.withList(of: found.map { UnsafeMutableRawPointer($0.pointer) }) {
                (list) throws(GLibError) in
                _ = try GLibError.check { secret_item_load_secrets_sync(list, cancellation.pointer, $0) }
            }
        }
        var items: [KeyringItem] = []
        for reference in found {
            guard let item = read(reference) else {
                // It was locked or deleted since the search.
                _ = try unlockedCollection(opened, cancellation)
                throw KeyringError(
                    code: .failed,
                    message: "an item of the keyring changed while it was being read; try again"
                )
            }
            items.append(item)
        }
        memory.trust(opened.provider)
        return items
    }

    /// Stores an item in the default collection, replacing the one with the same attributes.
    ///
    /// The existing one is checked first: if items have their own locks, replacing a locked one would prompt the user.
    /// Its secret is changed instead of creating a new item: KeePassXC 2.7 would begin a prompt that never ends if
    /// another connection had stored it.
    func store(_ item: KeyringItem, _ cancellation: Cancellation) throws(KeyringError) {
        try onceMoreWithoutSession { () throws(KeyringError) in
            try store(item, try open(cancellation), cancellation)
        }
    }

    private func store(
        _ item: KeyringItem,
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) {
        let found = try find(item.attributes, opened, cancellation)
        let collection = try unlockedCollection(opened, cancellation)
        let isStored = try attempt("store an item in the keyring") { () throws(GLibError) in
            if found.count == 1 {
                try opened.setSecret(of: found[0].path, to: item.secret, cancellation)
                return true
            }
            return try opened.create(item, schema: schema, in: collection.path, cancellation)
        }
        guard isStored else { throw Self.dismissed }
        synchronize(collection, opened, cancellation)
        memory.trust(opened.provider)
    }

    /// Does it again, with a new session, where the two ends do not understand each other in the old one: nothing was done
    /// then. libsecret and KWallet disagree on a shared key that begins with a zero, as one in 256 does.
    private func onceMoreWithoutSession<Value>(
        _ body: () throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        do throws(KeyringError) {
            return try body()
        } catch {
            guard let cause = error.underlying as? GLibError, cause.isLostSession else { throw error }
            return try body()
        }
    }

    /// Removes all items with these attributes and returns their number.
    func remove(
        matching attributes: [String: String],
        _ cancellation: Cancellation
    ) throws(KeyringError) -> Int {
        let opened = try open(cancellation)
        var count = 0
        for item in try find(attributes, opened, cancellation) {
            let isRemoved = try attempt("remove an item from the keyring") { () throws(GLibError) in
                try opened.delete(item.path, cancellation)
            }
            guard isRemoved else { throw Self.dismissed }
            count += 1
        }
        if count > 0, opened.wallet != nil {
            synchronize(try defaultCollection(opened, cancellation), opened, cancellation)
        }
        return count
    }

    /// Prompts the user to unlock the default collection, and the items with these attributes if they have their own
    /// locks (KeePassXC's do).
    func unlock(
        matching attributes: [String: String],
        _ cancellation: Cancellation
    ) throws(KeyringError) {
        let opened = try open(cancellation, isPersonal: true)
        let collection = try defaultCollection(opened, cancellation)
        if collection.isLocked {
            try unlock([collection.path], opened, cancellation)
            _ = try unlockedCollection(opened, cancellation)
        }
        if !attributes.isEmpty {
            let locked = try search(attributes, opened, cancellation).filter(\.isLocked)
            if !locked.isEmpty {
                try unlock(locked.map(\.path), opened, cancellation)
            }
        }
        memory.trust(opened.provider)
    }

    private func unlock(
        _ paths: [String],
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) {
        let isUnlocked = try desk.prompting { () throws(KeyringError) in
            try attempt("unlock the keyring") { () throws(GLibError) in try opened.unlock(paths, cancellation) }
        }
        guard isUnlocked else { throw Self.dismissed }
    }

    /// Unlocked items only; an empty result is trusted only from an unlocked collection. The lock is read after the
    /// search, since a collection that was just locked returns nothing.
    private func find(
        _ attributes: [String: String],
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> [ObjectReference<SecretItem>] {
        // Before the search, which reports a wallet's items as locked until the wallet is unlocked on this interface.
        if opened.wallet != nil { _ = try unlockedCollection(opened, cancellation) }
        let found = try search(attributes, opened, cancellation)
        guard !found.contains(where: \.isLocked) else { throw Self.locked }
        _ = try unlockedCollection(opened, cancellation)
        return found
    }

    /// A schema would make its name part of the match, and gnome-keyring knows no schema names of items that it has
    /// never unlocked.
    func search(
        _ attributes: [String: String],
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> [ObjectReference<SecretItem>] {
        let table = AttributeTable(attributes)
        let list = try attempt("search the keyring") { () throws(GLibError) in
            try GLibError.check { error in
                secret_service_search_sync(
                    opened.service.pointer,
                    nil,
                    table.pointer,
                    SECRET_SEARCH_ALL,
                    cancellation.pointer,
                    error
                )
            }
        }
        return ObjectReference.list(owned: list)
    }

    private func unlockedCollection(
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> ObjectReference<SecretCollection> {
        var collection = try defaultCollection(opened, cancellation)
        if collection.isLocked, try unlockSilently(collection, opened, cancellation) {
            collection = try defaultCollection(opened, cancellation)
        }
        guard !collection.isLocked else { throw Self.locked }
        return collection
    }

    /// Unlocks KDE's wallet if that needs no prompt: a wallet opened by PAM or by another program is locked on the
    /// Secret Service until a client unlocks it there.
    private func unlockSilently(
        _ collection: ObjectReference<SecretCollection>,
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> Bool {
        guard let wallet = opened.wallet, !walletAsks() else { return false }
        return try attempt("unlock the open wallet") { () throws(GLibError) in
            guard try wallet.isOpen(collection.label, cancellation) else { return false }
            return try opened.unlock([collection.path], cancellation)
        }
    }

    /// Requests an immediate write from a provider that acknowledges before writing, if that needs no prompt.
    private func synchronize(
        _ collection: ObjectReference<SecretCollection>,
        _ opened: Opened,
        _ cancellation: Cancellation
    ) {
        guard let wallet = opened.wallet, !walletAsks() else { return }
        wallet.synchronize(collection.label, cancellation)
    }

    private func defaultCollection(
        _ opened: Opened,
        _ cancellation: Cancellation
    ) throws(KeyringError) -> ObjectReference<SecretCollection> {
        let collection = try attempt("find the keyring's default collection") { () throws(GLibError) in
            try GLibError.check { error in
                secret_collection_for_alias_sync(
                    opened.service.pointer,
                    SECRET_COLLECTION_DEFAULT,
                    SECRET_COLLECTION_NONE,
                    cancellation.pointer,
                    error
                )
            }
        }
        guard let collection else { throw Self.noCollection(opened) }
        return ObjectReference(owned: collection)
    }

    private func read(_ reference: ObjectReference<SecretItem>) -> KeyringItem? {
        guard let value = secret_item_get_secret(reference.pointer) else { return nil }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count: gsize = 0
        let bytes = secret_value_get(value, &count)
        let secret = Secret(capacity: Int(count)) { buffer in
            buffer.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            return Int(count)
        }
        var attributes = AttributeTable.dictionary(owned: secret_item_get_attributes(reference.pointer))
        attributes["xdg:schema"] = nil
        let label = secret_item_get_label(reference.pointer)
        defer { g_free(label) }
        return KeyringItem(attributes: attributes, label: label.map { String(cString: $0) } ?? "", secret: secret)
    }
}

extension ObjectReference where Object == SecretItem {
    fileprivate var isLocked: Bool { secret_item_get_locked(pointer) != 0 }
}

extension ObjectReference where Object == SecretCollection {
    fileprivate var isLocked: Bool { secret_collection_get_locked(pointer) != 0 }

    /// The name of KDE's wallet, for KDE's provider.
    fileprivate var label: String {
        let label = secret_collection_get_label(pointer)
        defer { g_free(label) }
        return label.map { String(cString: $0) } ?? ""
    }
}
