// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

package import Broker
package import JOSE
package import Secrets

/// The file store itself, synchronous: reads, opens, changes and writes the file, and holds the key in between.
///
/// Everything but the key is read again for each call, so that the file on the disk is authoritative. A file that has
/// disappeared is a fault, not an empty store: an unmounted volume is not a sign-out.
package final class StoreVault {
    /// Random bytes for one call, from the daemon's entropy.
    package struct FreshBytes: Sendable {
        package let nonce: [UInt8]
        package let salt: [UInt8]

        package init(_ source: (Int) -> [UInt8]) {
            nonce = source(SealingKey.nonceCount)
            salt = source(16)
        }
    }

    private struct HeldKey {
        let scrypt: Scrypt
        let key: SealingKey
    }

    private let file: PrivateFile
    private let source: StoreKeySource?
    private let cost: Scrypt.Cost
    private var held: HeldKey?
    private var hasSeenFile = false

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - source: the key's source; nil if the user gives a passphrase.
    ///   - cost: of deriving the key of a new store; an existing store states its own.
    package init(_ file: PrivateFile, key source: StoreKeySource? = nil, cost: Scrypt.Cost = .interactive) {
        self.file = file
        self.source = source
        self.cost = cost
    }

    // MARK: Items

    package func contents() throws(StoreError) -> StoreContents {
        guard let sealed = try read() else {
            if let source { _ = try secret(from: source, isNew: true) } else if held == nil { throw lockedNew }
            return StoreContents()
        }
        return try contents(of: sealed)
    }

    /// Changes the items and writes them; on an error nothing is changed.
    package func change(_ fresh: FreshBytes, _ body: (inout StoreContents) -> Void) throws(StoreError) {
        let old = try contents()
        var new = old
        body(&new)
        guard new != old else { return }
        let key = if let held { held } else { try keyOfNewStore(fresh) }
        try write(new, key, fresh)
    }

    // MARK: Opening

    /// Opens the store, or creates it.
    package func unlock(_ passphrase: Secret?, _ fresh: FreshBytes) throws(StoreError) {
        guard source == nil || passphrase == nil else {
            let noun = source?.noun ?? ""
            throw error(.passphraseUnwanted, "the store \(file.path) opens with \(noun), not with a passphrase")
        }
        let sealed = try read()
        if source != nil || held?.scrypt == sealed?.scrypt && held != nil {
            _ = try contents()
            return
        }
        guard let passphrase, !passphrase.isEmpty else { throw sealed == nil ? lockedNew : locked }
        if let sealed {
            try open(sealed, with: passphrase)
        } else {
            let new = try derive(from: passphrase, try scrypt(salt: fresh.salt))
            try write(StoreContents(), new, fresh)
        }
    }

    private func open(_ sealed: SealedStore, with passphrase: Secret) throws(StoreError) {
        let candidate = try derive(from: passphrase, sealed.scrypt)
        guard (try? sealed.open(with: candidate.key)) != nil else {
            throw error(
                .locked,
                "that passphrase does not open the store \(file.path); try again with: tokenctl unlock",
                passphrase: .needed
            )
        }
        held = candidate
    }

    private func contents(of sealed: SealedStore) throws(StoreError) -> StoreContents {
        let key = try key(of: sealed)
        guard let plain = try? sealed.open(with: key), let contents = StoreContents(plain) else {
            throw error(
                .unavailable,
                "the store \(file.path) is damaged, or sealed with another key; put a copy of it back"
            )
        }
        return contents
    }

    private func key(of sealed: SealedStore) throws(StoreError) -> SealingKey {
        if let held, held.scrypt == sealed.scrypt { return held.key }
        guard let source else {
            held = nil
            throw locked
        }
        let new = try derive(from: try secret(from: source, isNew: false), sealed.scrypt)
        held = new
        return new.key
    }

    private func keyOfNewStore(_ fresh: FreshBytes) throws(StoreError) -> HeldKey {
        guard let source else { throw lockedNew }
        return try derive(from: try secret(from: source, isNew: true), try scrypt(salt: fresh.salt))
    }

    private func secret(from source: StoreKeySource, isNew: Bool) throws(StoreError) -> Secret {
        do throws(PrivateFile.Fault) {
            return try source.secret(of: file.path, isNew: isNew)
        } catch {
            throw self.error(.unavailable, "the store \(file.path) cannot be opened: \(error.message)")
        }
    }

    private func scrypt(salt: [UInt8]) throws(StoreError) -> Scrypt {
        do {
            return try Scrypt(cost, salt: salt)
        } catch {
            throw self.error(.unavailable, error.description)
        }
    }

    private func derive(from passphrase: Secret, _ scrypt: Scrypt) throws(StoreError) -> HeldKey {
        do {
            return HeldKey(scrypt: scrypt, key: try SealingKey(try scrypt.derive(from: passphrase)))
        } catch {
            throw self.error(.unavailable, "the store \(file.path) cannot be opened: \(error.description)")
        }
    }

    // MARK: The file

    private func read() throws(StoreError) -> SealedStore? {
        let content: [UInt8]?
        do {
            content = try file.read(limit: SealedStore.sizeLimit)
        } catch {
            throw self.error(.unavailable, "the secret store cannot be used: \(error.message)")
        }
        guard let content else {
            guard !hasSeenFile else {
                throw error(
                    .unavailable,
                    "the store \(file.path) is gone; put it back, or restart tokend to begin a new one"
                )
            }
            return nil
        }
        hasSeenFile = true
        do {
            return try SealedStore(content)
        } catch {
            throw unreadable(error)
        }
    }

    private func write(_ contents: StoreContents, _ key: HeldKey, _ fresh: FreshBytes) throws(StoreError) {
        let content: [UInt8]
        do {
            content = try SealedStore(
                contents.encoded(),
                key: key.key,
                scrypt: key.scrypt,
                nonce: fresh.nonce
            ).content
        } catch {
            throw self.error(.unavailable, error.description)
        }
        guard content.count <= SealedStore.sizeLimit else {
            throw error(.unavailable, "the store \(file.path) is full: it may hold \(SealedStore.sizeLimit) bytes")
        }
        do {
            try file.replace(with: content)
        } catch {
            throw self.error(.unavailable, "the secret store takes nothing in: \(error.message)")
        }
        hasSeenFile = true
        held = key
    }

    // MARK: Errors

    private func unreadable(_ fault: SealedStore.Fault) -> StoreError {
        let reason =
            switch fault {
            case .notOurs: "is no store of tokend's, or damaged; it is left as it is; put a copy back, or move it away"
            case .newer(let version):
                "was written by a newer tokend (version \(version) of the file); it is left as it is; install that one"
            case .unusableKey: "asks for more memory or time than a key may cost; it is left as it is; move it away"
            }
        return error(.unavailable, "\(file.path) \(reason)")
    }

    private var locked: StoreError {
        error(
            .locked,
            "the store \(file.path) is locked; give its passphrase with: tokenctl unlock",
            passphrase: .needed
        )
    }

    private var lockedNew: StoreError {
        error(
            .locked,
            "there is no store at \(file.path) yet; choose its passphrase with: tokenctl unlock",
            passphrase: .new
        )
    }

    private func error(
        _ code: StoreError.Code,
        _ message: String,
        passphrase: StoreError.Passphrase? = nil
    ) -> StoreError {
        StoreError(code: code, message: message, passphrase: passphrase, file: file.path)
    }
}
