// SPDX-License-Identifier: Apache-2.0
// Copyright the tokend authors

import Broker
import Glibc
import JOSE
import Secrets
import Synchronization
import Testing
import tokend

/// Files that are not as they should be, and disks that do not do what they are told.
@Suite struct StoreVaultFaultTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
    }

    /// Every way to use the store is refused with this code, and the file stays as it is.
    private func expectUntouched(_ vault: StoreVault, _ code: StoreError.Code, says text: String = "") {
        let before = folder.bytes()
        for error in [
            StoreFolder.error { () throws(StoreError) in try vault.contents() },
            StoreFolder.error { () throws(StoreError) in try vault.change(.random) { $0.put(StoreFolder.item("new")) }
            },
            StoreFolder.error { () throws(StoreError) in try vault.unlock(StoreFolder.passphrase, .random) },
        ] {
            #expect(error?.code == code)
            #expect(error?.message.contains(folder.path) == true)
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
        #expect(folder.bytes() == before)
        #expect(!folder.names.contains("store.json.new"))
    }

    /// The store's file with a part of it replaced.
    private func edit(_ part: String, _ replacement: String) throws {
        _ = try folder.openVault(StoreFolder.item())
        let text = String(decoding: try #require(folder.bytes()), as: UTF8.self)
        try #require(text.contains(part))
        try folder.write(text.replacing(part, with: replacement))
    }

    @Test func `a newer version is left as it is, and said`() throws {
        try edit("\"version\":1", "\"version\":2")
        expectUntouched(folder.vault(), .unavailable, says: "newer")
    }

    @Test(arguments: [
        "", "{}", "[]", "not ours", "{\"format\":\"tokend-store\"}", "{\"format\":\"tokend-store\",\"version\":0}",
        "{\"format\":\"tokend-store\",\"version\":1,\"cipher\":\"AES-256-GCM\"}",
        "{\"format\":\"tokend-store\",\"version\":1,\"version\":1}",
    ])
    func `a file that is none of ours is left as it is`(content: String) throws {
        try folder.write(content)
        expectUntouched(folder.vault(), .unavailable)
    }

    @Test func `a file that was cut off anywhere is left as it is`() throws {
        _ = try folder.openVault(StoreFolder.item())
        let whole = try #require(folder.bytes())
        // Without its line's end it is whole.
        for count in stride(from: 0, to: whole.count - 1, by: 7) {
            try folder.write(Array(whole.prefix(count)))
            expectUntouched(folder.vault(), .unavailable)
        }
    }

    @Test(arguments: [
        ("\"n\":16", "\"n\":1073741824"), ("\"n\":16", "\"n\":9223372036854775807"), ("\"n\":16", "\"n\":-16"),
        ("\"n\":16", "\"n\":17"), ("\"r\":1", "\"r\":4194304"), ("\"p\":1", "\"p\":1073741824"),
        ("\"r\":1", "\"r\":0"), ("\"r\":1", "\"r\":9223372036854775807"),
    ])
    func `parameters that would cost gigabytes or hours are refused at once`(part: String, replacement: String) throws {
        try edit(part, replacement)
        expectUntouched(folder.vault(), .unavailable)
    }

    @Test(arguments: [("\"n\":16", "\"n\":32"), ("\"p\":1", "\"p\":2"), ("\"data\":\"", "\"data\":\"AAAA")])
    func `a changed file does not open`(part: String, replacement: String) throws {
        try edit(part, replacement)
        let before = folder.bytes()
        let vault = folder.vault()
        let error = StoreFolder.error { () throws(StoreError) in try vault.unlock(StoreFolder.passphrase, .random) }
        #expect(error?.code == .locked)
        #expect(folder.bytes() == before)
    }

    @Test func `a file that changes under an open store is a fault, and never written over`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        let whole = try #require(folder.bytes())
        try folder.write(String(decoding: whole, as: UTF8.self).replacing("\"data\":\"", with: "\"data\":\"AAAA"))
        expectUntouched(vault, .unavailable, says: "damaged")
        try folder.write(whole)
        #expect(try vault.contents().items == [StoreFolder.item()])
    }

    @Test func `another store put in its place locks it, until its own passphrase comes`() throws {
        let other = try StoreFolder()
        _ = try other.openVault(StoreFolder.item("other"))
        let vault = try folder.openVault(StoreFolder.item())
        try folder.write(try #require(other.bytes()))
        #expect(StoreFolder.error { () throws(StoreError) in try vault.contents() }?.passphrase == .needed)
        try vault.unlock(StoreFolder.passphrase, .random)
        #expect(try vault.contents().items == [StoreFolder.item("other")])
    }

    @Test func `a file that is gone signs nobody out, and is not begun anew`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        let whole = try #require(folder.bytes())
        unlink(folder.path)
        expectUntouched(vault, .unavailable, says: "gone")
        try folder.write(whole)
        #expect(try vault.contents().items == [StoreFolder.item()])
    }

    @Test func `a file that others can read is closed to them`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        try #require(chmod(folder.path, 0o644) == 0)
        _ = try vault.contents()
        #expect(try folder.status().mode == 0o600)
    }

    @Test func `a symbolic link, a pipe and a folder in its place are refused`() throws {
        let elsewhere = folder.folder + "/elsewhere"
        try folder.write("mine", to: elsewhere)
        try #require(symlink(elsewhere, folder.path) == 0)
        expectUntouched(folder.vault(), .unavailable, says: "link")
        #expect(folder.bytes(elsewhere) == Array("mine".utf8))
        unlink(folder.path)
        try #require(mkfifo(folder.path, 0o600) == 0)
        let error = StoreFolder.error { () throws(StoreError) in try folder.vault().contents() }
        #expect(error?.code == .unavailable)
        unlink(folder.path)
        try #require(mkdir(folder.path, 0o700) == 0)
        expectUntouched(folder.vault(), .unavailable)
    }

    // MARK: Disks

    @Test func `a failing fsync is an error to that write alone, and loses nothing`() throws {
        let fails = Atomic(false)
        let isFolder = Atomic(false)
        _ = try folder.openVault(StoreFolder.item())
        let vault = folder.vault { descriptor in
            var status = stat()
            fstat(descriptor, &status)
            let concerned = (status.st_mode & S_IFMT == S_IFDIR) == isFolder.load(ordering: .relaxed)
            guard fails.load(ordering: .relaxed), concerned else { return fsync(descriptor) }
            errno = EIO
            return -1
        }
        try vault.unlock(StoreFolder.passphrase, .random)
        fails.store(true, ordering: .relaxed)
        expectUntouchedByWriting(vault)
        isFolder.store(true, ordering: .relaxed)
        #expect(write(vault)?.code == .unavailable)
        #expect(try vault.contents().item(.grant, account: "work") != nil)
        fails.store(false, ordering: .relaxed)
        #expect(write(vault) == nil)
        #expect(try vault.contents().items.count == 2)
    }

    @Test func `a leftover of a crash in the middle of a write is in nobody's way`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        try folder.write("half", to: folder.path + ".new", mode: 0o644)
        #expect(write(vault) == nil)
        #expect(folder.names == ["store.json"])
        #expect(try folder.status().mode == 0o600)
    }

    @Test func `more than the file may hold is refused, and what it held is there`() throws {
        let vault = try folder.openVault(StoreFolder.item())
        let large = StoreFolder.item("large", secret: String(repeating: "x", count: SealedStore.sizeLimit))
        let error = StoreFolder.error { () throws(StoreError) in try vault.change(.random) { $0.put(large) } }
        #expect(error?.code == .unavailable)
        #expect(try vault.contents().items == [StoreFolder.item()])
    }

    private func write(_ vault: StoreVault) -> StoreError? {
        StoreFolder.error { () throws(StoreError) in
            try vault.change(.random) { $0.put(StoreFolder.item("new", secret: "\(UInt64.random(in: 0 ... .max))")) }
        }
    }

    private func expectUntouchedByWriting(_ vault: StoreVault) {
        let before = folder.bytes()
        #expect(write(vault)?.code == .unavailable)
        #expect(folder.bytes() == before)
        #expect(folder.names == ["store.json"])
    }
}
