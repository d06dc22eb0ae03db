// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import JOSE
import Secrets
import Testing
import tokend

@Suite struct StoreVaultTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    // MARK: Passphrases

    @Test func `without a file it is locked, asks for a new passphrase, and makes nothing`() {
        let vault = folder.vault()
        let errors = [
            StoreFolder.error { () throws(StoreError) in try vault.contents() },
            StoreFolder.error { () throws(StoreError) in try vault.change(.random) { $0.put(StoreFolder.item()) } },
            StoreFolder.error { () throws(StoreError) in try vault.unlock(nil, .random) },
            StoreFolder.error { () throws(StoreError) in try vault.unlock(Secret(""), .random) },
        ]
        for error in errors {
            #expect(error?.code == .locked)
            #expect(error?.passphrase == .new)
        }
        #expect(folder.names.isEmpty)
    }

    @Test func `the first passphrase makes the file, which is its owner's alone`() throws {
        umask(0)
        _ = try folder.openVault()
        #expect(try folder.status().mode == 0o600)
        #expect(folder.names == ["store.json"])
    }

    @Test func `what was stored is there for the next daemon that has the passphrase`() throws {
        let items = [StoreFolder.item("work"), StoreFolder.item("home", secret: "{\"a\":\"\\u00e9\"}")]
        _ = try folder.openVault(items[0], items[1])
        let next = folder.vault()
        let error = StoreFolder.error { () throws(StoreError) in try next.contents() }
        #expect(error?.code == .locked)
        #expect(error?.passphrase == .needed)
        try next.unlock(StoreFolder.passphrase, .random)
        #expect(try next.contents() == StoreContents(items: items))
    }

    @Test func `an item takes the place of its account's, and is removed alone`() throws {
        let vault = try folder.openVault(StoreFolder.item("work"), StoreFolder.item("home"))
        var newer = StoreFolder.item("work", secret: "{}")
        newer.issuer = "https://other.example"
        try vault.change(.random) { $0.put(newer) }
        #expect(try vault.contents().items == [StoreFolder.item("home"), newer])
        try vault.change(.random) { $0.remove(.grant, account: "home") }
        #expect(try vault.contents().items == [newer])
    }

    @Test func `a change of nothing writes nothing`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        let before = try folder.status().inode
        try vault.change(.random) { $0.remove(.grant, account: "nobody") }
        #expect(try folder.status().inode == before)
    }

    @Test(arguments: ["", "Correct horse", "correct horse ", "correct"])
    func `another passphrase is told, opens nothing and changes nothing`(text: String) throws {
        _ = try folder.openVault(StoreFolder.item())
        let before = folder.bytes()
        let vault = folder.vault()
        let error = StoreFolder.error { () throws(StoreError) in try vault.unlock(Secret(text), .random) }
        #expect(error?.code == .locked)
        #expect(error?.passphrase == .needed)
        #expect(StoreFolder.error { () throws(StoreError) in try vault.contents() }?.code == .locked)
        #expect(folder.bytes() == before)
    }

    @Test func `an open store stays open whatever passphrase comes`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        try vault.unlock(nil, .random)
        try vault.unlock(Secret("wrong"), .random)
        #expect(try vault.contents().items.count == 1)
    }

    @Test func `every write has a nonce of its own, and nothing of an item is in plain`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        let first = try #require(folder.bytes())
        try vault.change(.random) { $0.put(StoreFolder.item("other")) }
        try vault.change(.random) { $0.remove(.grant, account: "other") }
        let second = try #require(folder.bytes())
        #expect(first.count == second.count)
        #expect(first != second)
        for text in ["work", "id.example", "desktop", "rt-1", "refresh", "correct", "horse"] {
            #expect(second.firstRange(of: Array(text.utf8)) == nil)
        }
    }

    // MARK: Key files

    @Test func `with a key file it is made and opened by itself`() throws {
        try folder.write("0123456789abcdef\n", to: folder.keyPath)
        let vault = folder.keyFileVault()
        #expect(try vault.contents() == StoreContents())
        #expect(folder.bytes() == nil)
        try vault.change(.random) { $0.put(StoreFolder.item()) }
        let next = folder.keyFileVault()
        #expect(try next.contents().items == [StoreFolder.item()])
        try next.unlock(nil, .random)
    }

    @Test func `the key file's content without its line end is the passphrase`() throws {
        try folder.write("correct horse\n", to: folder.keyPath)
        try folder.keyFileVault().change(.random) { $0.put(StoreFolder.item()) }
        let vault = folder.vault()
        try vault.unlock(StoreFolder.passphrase, .random)
        #expect(try vault.contents().items == [StoreFolder.item()])
    }

    @Test func `a store with a key file takes no passphrase`() throws {
        try folder.write("key", to: folder.keyPath)
        let vault = folder.keyFileVault()
        let error = StoreFolder.error { () throws(StoreError) in try vault.unlock(StoreFolder.passphrase, .random) }
        #expect(error?.code == .passphraseUnwanted)
    }

    @Test(arguments: [("key", 0o640 as mode_t), ("key", 0o604), ("", 0o600), ("\n", 0o600), (nil, 0)])
    func `a key file that others can read, or is empty or missing, opens nothing and is named`(
        content: String?,
        mode: mode_t
    ) throws {
        if let content { try folder.write(content, to: folder.keyPath, mode: mode) }
        let vault = folder.keyFileVault()
        let error = StoreFolder.error { () throws(StoreError) in
            try vault.change(.random) { $0.put(StoreFolder.item()) }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains(folder.keyPath) == true)
        #expect(folder.bytes() == nil)
    }

    @Test
    func `with a credential of the service manager's it opens by itself, and without it says how to hand it over`()
        throws
    {
        try folder.write("0123456789abcdef\n", to: folder.keyPath, mode: 0o440)
        let (place, name) = (
            PrivateFile.folder(of: folder.keyPath), String(folder.keyPath.split(separator: "/").last ?? "")
        )
        let given = StoreKeySource.credential(name: name, folder: place)
        try folder.vault(given).change(.random) { $0.put(StoreFolder.item()) }
        #expect(try folder.vault(given).contents().items == [StoreFolder.item()])
        for missing in [StoreKeySource.credential(name: name, folder: nil), .credential(name: "other", folder: place)] {
            let error = StoreFolder.error { () throws(StoreError) in try folder.vault(missing).contents() }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("LoadCredential=") == true)
        }
        let unwanted = StoreFolder.error { () throws(StoreError) in
            try folder.vault(given).unlock(StoreFolder.passphrase, .random)
        }
        #expect(unwanted?.message.contains("the credential “\(name)”") == true)
    }

    @Test func `a lost key file is to be put back where there is a store, and no new one proposed`() throws {
        let missing = StoreFolder.error { () throws(StoreError) in try folder.keyFileVault().contents() }
        #expect(missing?.message.contains("openssl rand") == true)
        try folder.write("one", to: folder.keyPath)
        try folder.keyFileVault().change(.random) { $0.put(StoreFolder.item()) }
        unlink(folder.keyPath)
        let lost = StoreFolder.error { () throws(StoreError) in try folder.keyFileVault().contents() }
        #expect(lost?.code == .unavailable)
        #expect(lost?.message.contains("put the key file back from a copy") == true)
        #expect(lost?.message.contains("openssl") == false)
    }

    @Test func `another key file's content opens nothing and changes nothing`() throws {
        try folder.write("one", to: folder.keyPath)
        try folder.keyFileVault().change(.random) { $0.put(StoreFolder.item()) }
        let before = folder.bytes()
        try folder.write("two", to: folder.keyPath)
        let vault = folder.keyFileVault()
        for error in [
            StoreFolder.error { () throws(StoreError) in try vault.contents() },
            StoreFolder.error { () throws(StoreError) in try vault.change(.random) { $0.items = [] } },
        ] {
            #expect(error?.code == .unavailable)
        }
        #expect(folder.bytes() == before)
    }
}
